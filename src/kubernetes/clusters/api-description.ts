import { stringifyExact } from '../../core/json/large-integers.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import type { ClusterTransport } from './cluster-transport.js';
import type { ResourceKind } from './discovery.js';
import type { KubernetesObject } from './kubernetes-object.js';
import { listPages } from './list-pages.js';

/** Files of JSON, by the path that the API server gives them. */
export interface ApiDescription {
  gitVersion: string;
  documents: SourceFile[];
  definitions: SourceFile[];
}

/** Groups of an API server that are described. */
const MAX_GROUPS = 1_000;

/** @param definitionKind that of CustomResourceDefinitions, where the server has one */
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
  const pages = definitionKind ? listPages<KubernetesObject>(transport, definitionKind, { pageSize: 20, signal }) : [];
  for await (const { items } of pages)
    for (const definition of items) {
      definitions.push(toSourceFile(definition.metadata.name, definition));
      await slicer.yieldToEventLoop();
    }
  return { documents, definitions };
}

const toSourceFile = (path: string, body: unknown): SourceFile => ({ path, bytes: Buffer.from(stringifyExact(body)) });
