const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML and XML, in attributes too; characters that XML forbids are shown as �. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}
