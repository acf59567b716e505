import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type DesignFile } from '../../formats/design-file.js';
import { type DocumentReader } from '../../formats/document-reader.js';
import { type JsonObject } from '../../formats/located.js';
import { type SourceFile } from '../../formats/source-file.js';
import { decodeText } from '../../formats/text.js';
import { DesignInput } from '../formats/design-input.js';
import { claimsResource } from '../formats/kubernetes-resource.js';
import { kubernetesFormat, manifestFiles, manifestOf } from '../formats/kubernetes.js';

/** Writes designs as manifests. */
export class ManifestExport {
  constructor(private readonly reader: DocumentReader) {}

  /** The resources of a design as YAML documents. Throws InvalidRequest when it has none. */
  async written(design: DesignFile): Promise<string> {
    const { resources } = manifestOf(design);
    if (resources.length > 0) return this.write(resources);
    const remedy = 'Take it as design or json.';
    throw InvalidRequest.at('export', 'kubernetes has nothing to write: the design has no resource', remedy);
  }

  /** The same in the words of the manifest that the design was made of, with its comments, when it still says what the design says. */
  async kept(design: DesignFile, source: SourceFile): Promise<string> {
    const text = await this.textOf(source).catch((error: unknown) => {
      if (error instanceof InvalidRequest) return undefined;
      throw error;
    });
    return text !== undefined && (await this.says(text, design)) ? text : this.written(design);
  }

  /** A YAML file as it is; JSON as YAML; the manifests of an archive one after the other, each below its name. */
  private async textOf(source: SourceFile): Promise<string> {
    const input = await DesignInput.of(source, this.reader);
    const parts: string[] = [];
    for (const path of manifestFiles(input)) {
      const documents = await input.documents(path);
      if (!documents.some(({ value }) => claimsResource(value))) continue;
      const file = input.files.get(path) ?? source;
      const text = decodeText(file, this.reader.limits.textBytes);
      const yaml = isJson(text) ? await this.write(documents.map(({ value }) => value as JsonObject)) : text;
      parts.push((input.archive ? `# ${path}\n` : '') + (yaml.endsWith('\n') ? yaml : `${yaml}\n`));
    }
    return parts.join('---\n');
  }

  private async says(text: string, design: DesignFile): Promise<boolean> {
    const file = { path: 'manifest.yaml', bytes: Buffer.from(text) };
    const input = await DesignInput.of(file, this.reader);
    const { design: again } = await kubernetesFormat.read(input, { limits: this.reader.limits });
    return isDeepStrictEqual(manifestOf(again).resources, manifestOf(design).resources);
  }

  private write(resources: readonly JsonObject[]): Promise<string> {
    return this.reader.write(resources, JSON.stringify(resources).length);
  }
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}
