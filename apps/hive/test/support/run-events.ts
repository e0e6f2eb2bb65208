import type { RunView } from '#load/coordination';

/** Follows the events of a run on a hive until the condition holds or the run has ended. */
export async function followRun(
  hiveUrl: string,
  runId: string,
  isSo: (run: RunView) => boolean,
): Promise<RunView> {
  const reply = await fetch(`${hiveUrl}/runs/${runId}/events`);
  if (!reply.ok) throw new Error(`no events: ${reply.status} ${await reply.text()}`);
  let text = '';
  for await (const chunk of reply.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const [, data] = /^data: (.*)$/m.exec(message) ?? [];
      if (data === undefined) continue;
      const run = JSON.parse(data) as RunView;
      if (isSo(run) || message.includes('event: end')) return run;
    }
  }
  throw new Error('the events ended without an end');
}
