import { gzipSync } from 'node:zlib';
import { DEFAULT_FORMAT_LIMITS } from '../formats/sources/format-limits.js';
import { tar } from '../formats/archives/tar.fixture.js';
import { type ComponentDefinition } from '../formats/definitions/definitions.js';
import { type GenerationResult } from './generator.js';
import { GeneratorSource } from './generator-source.js';

/** A single file, as text or as data to be written as JSON. */
export function fileSource(content: string | object, path = 'source.yaml'): GeneratorSource {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return new GeneratorSource(path, false, [{ path, bytes: new TextEncoder().encode(text) }], DEFAULT_FORMAT_LIMITS);
}

/** The members of an archive. */
export function archiveSource(files: Record<string, string | Uint8Array>, name = 'source.tgz'): GeneratorSource {
  const members = Object.entries(files).map(([path, content]) => ({ path, bytes: bytesOf(content) }));
  return new GeneratorSource(name, true, members, DEFAULT_FORMAT_LIMITS);
}

/** A .tgz. */
export async function archive(files: Record<string, string | Uint8Array>): Promise<Uint8Array> {
  const members = Object.entries(files).map(([name, content]) => ({ name, text: Buffer.from(bytesOf(content)) }));
  return gzipSync(await tar(...members));
}

export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

/** All components of all models. */
export function componentsOf({ contents }: GenerationResult): ComponentDefinition[] {
  return contents.flatMap(({ components }) => components);
}

export function schemaOf(component: ComponentDefinition | undefined): Record<string, unknown> {
  return JSON.parse(component?.schema ?? 'null') as Record<string, unknown>;
}

/** A definition with one version, as YAML; `more` is appended to the version. */
export function definitionYaml(kind: string, group = 'things.example.com', more = ''): string {
  const plural = `${kind.toLowerCase()}s`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A ${kind}.
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
${more}`;
}
