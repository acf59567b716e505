import { type SourceFile } from '../../../formats/sources/source-file.js';
import { type ChartFiles } from '../../../formats/helm/helm.js';

const NOTES_PATH = 'templates/NOTES.txt';
/** The template that carries the notes through the renderer; no chart has one of this name. */
export const NOTES_CARRIER_PATH = 'templates/armature-carries-notes.yaml';
/** Longer ones are no notes. */
const MAX_NOTES_BYTES = 64 * 1024;

/** The chart with its notes as a resource, because the program shows resources only; undefined when it has none. */
export function addNotesCarrier(files: ChartFiles): ChartFiles | undefined {
  const notes = files.get(NOTES_PATH);
  if (!notes || notes.bytes.length > MAX_NOTES_BYTES || notes.bytes.length === 0) return undefined;
  // A string of JSON is one of Go as well.
  const literal = JSON.stringify(Buffer.from(notes.bytes).toString());
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\ndata:\n  notes: {{ tpl ${literal} . | toJson }}\n`;
  const carrier: SourceFile = { path: notes.path, bytes: Buffer.from(text) };
  return new Map([...files, [NOTES_CARRIER_PATH, carrier]]);
}
