import { Agent } from 'undici';
import type { Json, JsonObject } from '../../src/core/json/json.js';
import { type Cluster, startCluster } from '../../test/support/cluster.js';

/** What the API server says of an object that it is asked to create without keeping it. */
export interface Answer {
  /** Undefined where it speaks of something else than the object: it exists, or may not be. */
  isValid: boolean | undefined;
  status: number;
  message: string;
  /** Places of errors as it writes them: `spec.ports[0].name`. */
  places: string[];
  /** Fields that it does not know. */
  unknown: string[];
}

/** A kind that the server serves. */
export interface Kind {
  apiVersion: string;
  kind: string;
  path: string;
  namespaced: boolean;
}

/** A real API server and what the harness asks of it. */
export class ApiServer {
  private constructor(
    private readonly cluster: Cluster,
    private readonly agent: Agent,
  ) {}

  static async start(): Promise<ApiServer> {
    const cluster = await startCluster({ bare: true });
    return new ApiServer(cluster, new Agent({ connect: { ca: cluster.ca }, connections: 4 }));
  }

  async stop(): Promise<void> {
    await this.agent.destroy();
    await this.cluster.stop();
  }

  async call(
    method: string,
    path: string,
    body?: Json,
  ): Promise<{ status: number; body: JsonObject; warnings: string[] }> {
    const {
      statusCode,
      headers,
      body: stream,
    } = await this.agent.request({
      origin: this.cluster.url,
      path,
      method: method,
      headers: { authorization: `Bearer ${this.cluster.tokens.admin}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const warning = headers['warning'] ?? [];
    const warnings = (Array.isArray(warning) ? warning : splitWarnings(warning)).map(textOfWarning);
    const text = await stream.text();
    // What is not served yet is answered in plain words.
    return { status: statusCode, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {}, warnings };
  }

  /** All kinds of a group and version that can be created. */
  async kinds(apiVersion: string): Promise<Kind[]> {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { status, body } = await this.call('GET', root);
    if (status !== 200) return [];
    const resources = body['resources'] as { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
    return resources
      .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('create'))
      .map(({ name, kind, namespaced }) => ({
        apiVersion,
        kind,
        namespaced,
        path: `${root}${namespaced ? '/namespaces/default' : ''}/${name}`,
      }));
  }

  async judge(kind: Kind, object: JsonObject): Promise<Answer> {
    const { status, body, warnings } = await this.call('POST', `${kind.path}?dryRun=All&fieldValidation=Warn`, object);
    const message = typeof body['message'] === 'string' ? body['message'] : '';
    const causes = ((body['details'] as JsonObject | undefined)?.['causes'] ?? []) as { field?: string }[];
    const unknown = warnings.flatMap((warning) => /^unknown field "(.*)"$/.exec(warning)?.[1] ?? []);
    const verdicts: Record<number, boolean> = { 200: true, 201: true, 400: false, 422: false };
    const places = [
      ...new Set([
        ...causes.flatMap(({ field }) => (field && field !== '<nil>' ? field : [])),
        ...decodePlaces(message),
      ]),
    ];
    return { isValid: verdicts[status], status, message, places, unknown };
  }
}

/** Where the decoder failed: it names the way without the numbers of items, and with the names of embedded Go types. */
function decodePlaces(message: string): string[] {
  const [, type = '', path] = /into Go struct field (\w+)\.([\w.[\]/-]+) of type/.exec(message) ?? [];
  if (path === undefined) return [];
  const plain = path
    .split('.')
    .filter((step) => !/^[A-Z]\w+$/.test(step))
    .join('.');
  return [type === 'ObjectMeta' && !plain.includes('metadata') ? `metadata.${plain}` : plain];
}

function splitWarnings(header: string): string[] {
  return header.split(/, (?=299 )/);
}

function textOfWarning(warning: string): string {
  const [, quoted = '""'] = /^299 - (".*")$/s.exec(warning) ?? [];
  return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
}
