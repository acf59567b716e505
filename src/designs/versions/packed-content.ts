import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip } from 'node:zlib';
import { deployedComponents } from '../../formats/deployed-components.js';
import { resourceOf } from '../../formats/design-component.js';
import type { DesignFile } from '../../formats/design-file.js';
import { chunksOf } from '../../formats/json-chunks.js';
import { type JsonObject, objectOf } from '../../formats/located.js';
import { buffersOf, type PackedData, packed } from '../../formats/packed-design.js';
import { HandedOver, InPlace, type Task, type TaskRunner } from '../../formats/task.js';
import { toYaml } from '../../formats/yaml-writer.js';

/** A design as it is kept: gzip over UTF-8 JSON, in a buffer of its own. */
export type PackedContent = Uint8Array<ArrayBuffer>;

/** The same with the name that the design has by now. */
export interface NamedContent {
  content: PackedContent;
  name: string;
}

export const pack = promisify(gzip);
export const unpack = promisify(gunzip);

/** Bytes of a design, unpacked, that is read on the main thread. */
const AT_ONCE = 32 * 1024;

export const textTask: Task<NamedContent, string> = { module: import.meta.url, name: 'textInWorker' };
export const metadataTask: Task<PackedContent, JsonObject> = { module: import.meta.url, name: 'metadataInWorker' };

export const designTask: Task<PackedContent, PackedData> = { module: import.meta.url, name: 'designInWorker' };

/** A resource of a design with the id of the component that it is of. */
export interface DesignResource {
  component: string;
  object: JsonObject;
}

/** Answers the resources that deploying a design puts on a cluster, in chunks. */
export const resourcesTask: Task<PackedContent, PackedContent[]> = {
  module: import.meta.url,
  name: 'resourcesInWorker',
};

/** Where a content is unpacked: here when it is small, in a worker when not. */
export function tasksFor(content: PackedContent, pool: TaskRunner): TaskRunner {
  return unpackedSize(content) <= AT_ONCE ? new InPlace() : pool;
}

/** Bytes of the content, unpacked: gzip keeps them at its end (RFC 1952, ISIZE). */
export function unpackedSize(content: Uint8Array): number {
  return new DataView(content.buffer, content.byteOffset).getUint32(content.length - 4, true);
}

/** The design, at once: for tasks. */
export function fileIn(content: PackedContent): DesignFile {
  return JSON.parse(gunzipSync(content).toString()) as DesignFile;
}

/** Task of the worker pool: a design as YAML text. */
export function textInWorker({ content, name }: NamedContent): string {
  return toYaml([{ ...fileIn(content), name }]);
}

/** Task of the worker pool: the metadata of a design. */
export function metadataInWorker(content: PackedContent): JsonObject {
  return objectOf(fileIn(content).metadata);
}

/** Task of the worker pool: a design apart in its members. */
export function designInWorker(content: PackedContent): HandedOver<PackedData> {
  const data = packed(fileIn(content));
  return new HandedOver(data, buffersOf(data));
}

/** Task of the worker pool: what deploying a design puts on a cluster. */
export function resourcesInWorker(content: PackedContent): HandedOver<PackedContent[]> {
  const resources = deployedComponents(fileIn(content)).map((component): DesignResource => ({
    component: component.id,
    object: resourceOf(component),
  }));
  const chunks = chunksOf(resources);
  return new HandedOver(
    chunks,
    chunks.map(({ buffer }) => buffer),
  );
}

/** Bytes that go over to the caller of a task. */
export function handedOver(bytes: Uint8Array<ArrayBuffer>): HandedOver<Uint8Array<ArrayBuffer>> {
  return new HandedOver(bytes, [bytes.buffer]);
}
