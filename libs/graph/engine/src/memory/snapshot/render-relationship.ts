import type { ByteSink } from '#graph/model';
import type { View } from '../delta/view.ts';
import { keyAt, typeAt, valueEnd } from '../head/json-scan.ts';

/** Writes the JSON of a relationship, texts copied from where they are kept. */
export function renderRelationship(view: View, link: number, sink: ByteSink): void {
  const text = view.linkText(link);
  const tail = view.renderedLinkStamp(link);
  sink.writeText(`{"id":"${view.linkId(link)}","verb":${JSON.stringify(view.linkVerb(link))},"from":`);
  writeEnd(view, view.delta.from(link), sink);
  sink.writeText(',"to":');
  writeEnd(view, view.delta.to(link), sink);
  sink.writeText(',');
  sink.writeBytes(text.bytes, text.start, text.end);
  sink.writeBytes(tail, 0, tail.length);
}

function writeEnd(view: View, node: number, sink: ByteSink): void {
  const { bytes, start } = view.head(node);
  const keyStart = keyAt(bytes, start);
  sink.writeBytes(bytes, start, valueEnd(bytes, typeAt(start)));
  sink.writeText(',"key":');
  sink.writeBytes(bytes, keyStart, valueEnd(bytes, keyStart));
  sink.writeText('}');
}
