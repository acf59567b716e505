import { type SourceFile } from '../../../formats/source-file.js';
import { type ChartFiles } from '../../../formats/programs/helm.js';

const NOTES = 'templates/NOTES.txt';
/** The template that carries the notes through the renderer; no chart has one of this name. */
export const NOTES_CARRIER = 'templates/armature-carries-notes.yaml';
/** Longer ones are no notes. */
const LONGEST = 64 * 1024;

/** The chart with its notes as a resource, because the program shows resources only; undefined when it has none. */
export function withNotes(files: ChartFiles): ChartFiles | undefined {
  const notes = files.get(NOTES);
  if (!notes || notes.bytes.length > LONGEST || notes.bytes.length === 0) return undefined;
  // A string of JSON is one of Go as well.
  const literal = JSON.stringify(Buffer.from(notes.bytes).toString());
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\ndata:\n  notes: {{ tpl ${literal} . | toJson }}\n`;
  const carrier: SourceFile = { path: notes.path, bytes: Buffer.from(text) };
  return new Map([...files, [NOTES_CARRIER, carrier]]);
}
