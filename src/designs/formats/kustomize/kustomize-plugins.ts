import { type FaultList } from '../../../formats/fault-list.js';
import { type Json, type LocatedDocument } from '../../../formats/located.js';
import { type SourceFile } from '../../../formats/source-file.js';
import { type FormatInput } from '../format.js';
import { isInline, isRemote, pathsIn, PLUGINS } from './references.js';

/** The instructions beside a Kustomization: generators, transformers and validators, which may name files of their own. */
export class KustomizePlugins {
  constructor(
    private readonly input: FormatInput,
    private readonly faults: FaultList,
  ) {}

  /** Instructions as they were understood, as JSON; nothing in them may be remote. */
  async checked(file: SourceFile): Promise<string> {
    const documents = await this.input.parse(file).catch((error: unknown) => this.faults.collect(error));
    for (const document of documents) {
      for (const { pointer, path } of pathsIn(document.value)) {
        if (!isRemote(path)) continue;
        const remedy = 'Put a copy of it into the archive, and name that.';
        this.faults.add(document.fault(pointer, `${path.slice(0, 200)} is remote, and nothing is fetched`, remedy));
      }
    }
    return documents.map(({ value }) => JSON.stringify(value)).join('\n---\n');
  }

  /** A Kustomization as it was understood, as JSON, with the plugins that stand in it. */
  async rewritten(document: LocatedDocument): Promise<Uint8Array> {
    const object = { ...document.object };
    for (const key of PLUGINS) {
      const list = object[key];
      if (!Array.isArray(list)) continue;
      const understood: Json[] = [];
      for (const item of list) {
        const inline = typeof item === 'string' && isInline(item);
        understood.push(inline ? await this.checked({ path: document.file, bytes: Buffer.from(item) }) : item);
      }
      object[key] = understood;
    }
    return Buffer.from(JSON.stringify(object));
  }
}
