import { stringifyExact } from '../../core/json/large-integers.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import type { ClusterTransport } from './cluster-transport.js';
import type { ResourceKind } from './discovery.js';
import type { KubernetesObject } from './kubernetes-object.js';
import { listPages } from './list-pages.js';
import { toPage } from './object-answers.js';

/** JSON files by their path on the API server. */
export interface ApiDescription {
  gitVersion: string;
  documents: SourceFile[];
  definitions: SourceFile[];
}

/** The maximum number of API groups to read. */
const MAX_GROUPS = 1_000;

/** @param definitionKind the kind CustomResourceDefinition, if the server has it */
export async function readApiDocuments(
  transport: ClusterTransport,
  definitionKind: ResourceKind | undefined,
  signal?: AbortSignal,
): Promise<Pick<ApiDescription, 'documents' | 'definitions'>> {
  const index = (await transport.request({ path: '/openapi/v3', signal })).body as { paths?: object } | undefined;
  const groups = Object.keys(index?.paths ?? {}).filter((path) => /^apis?\/(?:[^/]+\/)?v[^/]+$/.test(path));
  const documents: SourceFile[] = [];
  for (const path of groups.sort().slice(0, MAX_GROUPS))
    documents.push({ path, bytes: await transport.requestBytes({ path: `/openapi/v3/${path}`, signal }) });
  const definitions: SourceFile[] = [];
  const slicer = new TimeSlicer();
  const pages = definitionKind
    ? listPages(definitionKind, { pageSize: 20, signal }, async (request) =>
        toPage<KubernetesObject>((await transport.request(request)).body, definitionKind),
      )
    : [];
  for await (const { items } of pages)
    for (const definition of items) {
      definitions.push(toSourceFile(definition.metadata.name, definition));
      await slicer.yieldToEventLoop();
    }
  return { documents, definitions };
}

const toSourceFile = (path: string, body: unknown): SourceFile => ({ path, bytes: Buffer.from(stringifyExact(body)) });
