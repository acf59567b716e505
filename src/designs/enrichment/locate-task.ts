import type { Fault } from '../../core/errors/app-error.js';
import { defineTask, InlineTaskRunner } from '../../core/workers/task.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import { FaultList } from '../../formats/sources/fault-list.js';
import type { FormatLimits } from '../../formats/sources/format-limits.js';
import type { SourceFile } from '../../formats/sources/source-file.js';
import { DesignInput } from '../formats/design-input.js';
import { readManifests } from '../formats/kubernetes-format.js';
import { locatedFault, type LocatedResource } from '../formats/kubernetes-resource.js';
import { ManifestReader } from '../formats/manifest-reader.js';

interface LocateInput {
  file: SourceFile;
  /** The chosen member or folder of an archive. */
  path: string | undefined;
  limits: FormatLimits;
  /** Faults with pointers into a design, `/components/0/configuration/spec`. */
  faults: Fault[];
}

/** Adds the place in a manifest to faults of the design that was made of it. */
export const locateTask = defineTask<LocateInput, Fault[]>(import.meta.url, { locateInWorker });

/** Task of the worker pool. */
export async function locateInWorker({ file, path, limits, faults }: LocateInput): Promise<Fault[]> {
  const input = await DesignInput.fromFile(file, new DocumentReader(new InlineTaskRunner(), limits), path);
  const resources: LocatedResource[] = [];
  for await (const item of readManifests(input, new ManifestReader(new FaultList(limits.faults)))) resources.push(item);
  return faults.map((fault) => {
    const [, index = '', field = ''] = /^\/components\/(\d{1,9})\/configuration(.*)$/.exec(fault.pointer ?? '') ?? [];
    const resource = resources[Number(index)];
    if (index === '' || !resource) return fault;
    const { file: at, line, column } = locatedFault(resource.document, resource.pointer + field, '');
    return { ...fault, file: at, line, column };
  });
}
