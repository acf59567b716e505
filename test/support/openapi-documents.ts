import { Agent, request } from 'undici';
import { type SourceFile } from '../../src/formats/sources/source-file.js';
import { type ControlPlane } from './control-plane.js';

/** What an API server says of itself, as a generator takes it. */
export interface ApiDescription {
  /** `v1.36.3` */
  version: string;
  /** The documents of OpenAPI v3, by group and version. */
  documents: SourceFile[];
  definitions: SourceFile[];
}

/** Asks an API server as its administrator. */
export async function describeApi({
  url,
  ca,
  tokens,
}: Pick<ControlPlane, 'url' | 'ca' | 'tokens'>): Promise<ApiDescription> {
  const dispatcher = new Agent({ connect: { ca } });
  const get = async (path: string): Promise<Buffer> => {
    const answer = await request(`${url}${path}`, { dispatcher, headers: { authorization: `Bearer ${tokens.admin}` } });
    const body = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}: ${body.toString('utf8')}`);
    return body;
  };
  try {
    const { gitVersion } = JSON.parse((await get('/version')).toString('utf8')) as { gitVersion: string };
    const index = JSON.parse((await get('/openapi/v3')).toString('utf8')) as { paths: Record<string, { serverRelativeURL: string }> }; // prettier-ignore
    const documents: SourceFile[] = [];
    for (const path of Object.keys(index.paths).sort()) {
      const address = index.paths[path]?.serverRelativeURL;
      if (address && /^apis?\/(?:[^/]+\/)?v[^/]+$/.test(path)) documents.push({ path, bytes: await get(address) });
    }
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    return { version: gitVersion, documents, definitions: [{ path, bytes: await get(path) }] };
  } finally {
    await dispatcher.close();
  }
}
