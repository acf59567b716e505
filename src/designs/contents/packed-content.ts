import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip } from 'node:zlib';
import { getHelmHook, type HelmHook, isChartDefinition } from '../../formats/design-file/helm-hook.js';
import { getDeployedComponents } from '../../formats/design-file/design-component.js';
import { toResource } from '../../formats/design-file/design-component.js';
import type { DesignFile } from '../../formats/design-file/design-file.js';
import { toJsonChunks } from '../../core/json/json-chunks.js';
import { type JsonObject, asObject } from '../../core/json/json.js';
import { getTransferList, type PackedDesignData, packDesign } from '../../formats/design-file/packed-design.js';
import { defineTask, TransferredValue, InlineTaskRunner, type Task, type TaskRunner } from '../../core/workers/task.js';
import { toYaml } from '../../formats/documents/yaml-writer.js';

/** A design as stored: gzip of UTF-8 JSON, in a separate buffer. */
export type PackedContent = Uint8Array<ArrayBuffer>;

/** A stored design with its current name; without a name it keeps the stored one. */
export interface NamedContent {
  content: PackedContent;
  name?: string;
}

export const packContent = promisify(gzip);
export const unpackContent = promisify(gunzip);

/** The size in bytes, decompressed, up to which a design is read on the main thread. */
const INLINE_MAX_BYTES = 32 * 1024;

export const textsTask: Task<NamedContent[], string[]> = defineTask(import.meta.url, { textsInWorker });
export const metadataTask: Task<PackedContent, JsonObject> = defineTask(import.meta.url, { metadataInWorker });

/** The names of the models of the components of a design. */
export const modelNamesTask: Task<PackedContent, string[]> = defineTask(import.meta.url, { modelNamesInWorker });

export const designTask: Task<PackedContent, PackedDesignData> = defineTask(import.meta.url, { designInWorker });

/** A resource of a design with the id of its component. */
export interface DesignResource {
  component: string;
  object: JsonObject;
  /** For a hook of a chart: when it runs. */
  hook?: HelmHook;
  /** It comes from `crds/` of a chart: it belongs to no release. */
  isChartDefinition?: boolean;
}

/** Returns the resources that deploying a design applies to a cluster, in chunks. */
export const resourcesTask: Task<PackedContent, PackedContent[]> = defineTask(import.meta.url, { resourcesInWorker });

/** Selects where contents are decompressed: small ones on the main thread, others in a worker. */
export function taskRunnerFor(content: PackedContent, pool: TaskRunner): TaskRunner {
  return readUnpackedSize(content) <= INLINE_MAX_BYTES ? new InlineTaskRunner() : pool;
}

/** The uncompressed size of the content in bytes, from the gzip trailer (RFC 1952, ISIZE). */
export function readUnpackedSize(content: Uint8Array): number {
  return new DataView(content.buffer, content.byteOffset).getUint32(content.length - 4, true);
}

/** Parses a design synchronously; for use in tasks. */
export function parseDesignFile(content: PackedContent): DesignFile {
  return JSON.parse(gunzipSync(content).toString()) as DesignFile;
}

/** Task of the worker pool: designs as YAML texts. */
export function textsInWorker(contents: NamedContent[]): string[] {
  return contents.map(({ content, name }) => {
    const file = parseDesignFile(content);
    return toYaml([name === undefined ? file : { ...file, name }]);
  });
}

/** Task of the worker pool: the metadata of a design. */
export function metadataInWorker(content: PackedContent): JsonObject {
  return asObject(parseDesignFile(content).metadata);
}

/** Task of the worker pool: the models of the components of a design. */
export function modelNamesInWorker(content: PackedContent): string[] {
  const { components } = parseDesignFile(content);
  return [...new Set(components.flatMap(({ model }) => [model.name, model.displayName ?? '']))];
}

/** Task of the worker pool: a design split into its members. */
export function designInWorker(content: PackedContent): TransferredValue<PackedDesignData> {
  const data = packDesign(parseDesignFile(content));
  return new TransferredValue(data, getTransferList(data));
}

/** Task of the worker pool: the resources that deploying a design applies to a cluster. */
export function resourcesInWorker(content: PackedContent): TransferredValue<PackedContent[]> {
  const resources = getDeployedComponents(parseDesignFile(content)).map((component): DesignResource => {
    const hook = getHelmHook(component);
    return {
      component: component.id,
      object: toResource(component),
      ...(hook && { hook }),
      ...(isChartDefinition(component) && { isChartDefinition: true }),
    };
  });
  const chunks = toJsonChunks(resources);
  return new TransferredValue(
    chunks,
    chunks.map(({ buffer }) => buffer),
  );
}

/** Bytes that are transferred to the caller of a task. */
export function transferBytes(bytes: Uint8Array<ArrayBuffer>): TransferredValue<Uint8Array<ArrayBuffer>> {
  return new TransferredValue(bytes, [bytes.buffer]);
}
