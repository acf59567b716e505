/** The fault of a template where YAML was expected. */
export const TEMPLATE_DETAIL = 'is a Helm template, which is YAML only once it is rendered';
export const TEMPLATE_REMEDY =
  'Send the whole chart as .tgz, or what "helm template" writes; quote the value if the braces are part of it.';

/** Whether the line of an offset has the braces of a template. */
export function isTemplate(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', Math.max(offset - 1, 0)) + 1;
  const end = text.indexOf('\n', offset);
  const open = text.indexOf('{{', start);
  return open >= 0 && (end < 0 || open < end);
}
