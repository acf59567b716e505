import { type Json, type JsonObject } from '../../core/json/json.js';
import { type ApiResponse } from '../programs/program-api.js';
import { type GeneratedValue, GeneratedValues } from './generated-values.js';
import {
  BEGIN,
  INTERNAL_API,
  INTERNAL_KINDS,
  type InternalKind,
  instrumentTemplate,
  type TemplateSite,
} from './template-instruments.js';

/** A kind that a cluster serves, as charts see it. */
export interface ServedKind {
  /** `v1`, `apps/v1`. */
  apiVersion: string;
  kind: string;
  /** The name in paths, such as `deployments`. */
  plural: string;
  namespaced: boolean;
}

/** The objects that `lookup` asks for: one, or those of a kind. */
export interface ObjectQuery {
  apiVersion: string;
  plural: string;
  namespace?: string;
  name?: string;
}

/** The cluster that a chart is rendered for. */
export interface ChartCluster {
  /** For example `v1.36.3`. */
  version: string;
  kinds: readonly ServedKind[];
  /** More that `.Capabilities.APIVersions` has: `group/version` or `group/version/Kind`. */
  apiVersions?: readonly string[];
  /** The values that are kept for the release, by key; new ones are added. */
  values: Map<string, Json>;
  /** The objects that a chart may see; undefined for one that is not there. Without it there is no cluster to ask. */
  lookup?: (query: ObjectQuery) => Promise<JsonObject | undefined>;
}

/** What a chart brings that its cluster does not have. */
export interface ChartQuestion {
  /** The kinds of the definitions in `crds/`, which are created before the chart is rendered. */
  defined: readonly ServedKind[];
  /** Kinds of objects that the chart renders to, which Helm asks for and templates do not see. */
  rendered: readonly ServedKind[];
}

/** What happened while a chart was rendered. */
export interface ChartReport {
  generated: GeneratedValue[];
  /** The ids of the conditions on the cluster that were judged without one. */
  reached: string[];
  /** Calls in texts that became templates, such as values. */
  sites: TemplateSite[];
}

const NOT_FOUND: ApiResponse = { status: 404, body: statusBody(404, 'NotFound') };
const REFUSED: ApiResponse = { status: 403, body: statusBody(403, 'Forbidden') };
const INTERNAL_ROOT = `/apis/${INTERNAL_API}`;
const PATH = /^\/(?:api\/([^/]+)|apis\/([^/]+\/[^/]+))(?:\/(.*))?$/;
/** The maximum size of values of a chart that are instrumented when they become templates: of one, and of all different ones. */
const MAX_TEMPLATE_LENGTH = 256 * 1024;
const MAX_TEMPLATES_LENGTH = 1024 * 1024;
const MAX_REACHED = 500;

/** The API server that Helm sees while it renders a chart: a cluster, and the values that the chart generates. */
export class ChartApi {
  readonly report: ChartReport;
  private readonly generated: GeneratedValues;
  private readonly templates = new Map<string, string>();
  private templatesLength = 0;
  private isDiscovered = false;

  constructor(
    private readonly cluster: ChartCluster,
    private readonly question: ChartQuestion,
  ) {
    this.generated = new GeneratedValues(cluster.values);
    this.report = { generated: this.generated.used, reached: [], sites: [] };
  }

  /** Answers a GET request of Helm. */
  readonly handle = async ({ pathname }: URL, accept: string): Promise<ApiResponse> => {
    if (pathname === '/version') return { status: 200, body: describeVersion(this.cluster.version) };
    if (pathname === '/api' || pathname === '/apis') return this.discover(pathname, accept);
    if (pathname === INTERNAL_ROOT) return { status: 200, body: resourceList(INTERNAL_API, INTERNAL_RESOURCES) };
    if (pathname.startsWith(`${INTERNAL_ROOT}/`)) return this.answerTemplate(pathname.slice(INTERNAL_ROOT.length + 1));
    const [, core, grouped, rest] = PATH.exec(pathname) ?? [];
    const apiVersion = core ?? grouped;
    if (apiVersion === undefined) return NOT_FOUND;
    if (rest === undefined) {
      const kinds = this.kinds().filter((kind) => kind.apiVersion === apiVersion);
      return kinds.length === 0 ? NOT_FOUND : { status: 200, body: resourceList(apiVersion, kinds) };
    }
    return this.lookup(apiVersion, rest.split('/').map(decodeURIComponent));
  };

  private kinds(): readonly ServedKind[] {
    const { kinds } = this.cluster;
    const { defined } = this.question;
    return [...kinds, ...defined.filter((one) => !kinds.some((kind) => isSame(one, kind)))];
  }

  /** Templates see what the first request answers; for kinds that it lacks, Helm asks again after they were rendered. */
  private discover(root: string, accept: string): ApiResponse {
    const isFirst = !this.isDiscovered;
    this.isDiscovered ||= root === '/apis';
    const { apiVersions = [] } = this.cluster;
    const more = isFirst ? apiVersions.map(parseApiVersion) : this.question.rendered;
    const all = [...this.kinds(), ...more].filter(({ apiVersion }) => apiVersion.includes('/') === (root === '/apis'));
    const [, version] = /v=(v2(?:beta1)?)[;,]/.exec(accept) ?? [];
    if (version === undefined) return { status: 200, body: groupList(root, all) };
    const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    return { status: 200, type, body: aggregate(all, version) };
  }

  private async lookup(apiVersion: string, segments: string[]): Promise<ApiResponse> {
    const [first, namespace, ...inside] = segments;
    const [plural, name] = first === 'namespaces' && inside.length > 0 ? inside : segments;
    const found = await this.cluster.lookup?.({
      apiVersion,
      plural: plural ?? '',
      ...(inside.length > 0 ? { namespace } : {}),
      ...(name === undefined ? {} : { name }),
    });
    return found ? { status: 200, body: found } : NOT_FOUND;
  }

  /** Answers what the instruments of a template ask: `namespaces/PLACE/KIND/PAYLOAD`. */
  private answerTemplate(path: string): ApiResponse {
    const [, place = '', plural, payload = ''] = path.split('/').map(decodeURIComponent);
    const value = (v: unknown): ApiResponse => ({ status: 200, body: { apiVersion: INTERNAL_API, kind: 'Answer', v } });
    switch (INTERNAL_KINDS.find((kind) => toPlural(kind) === plural)) {
      case 'Generated': {
        const found = this.generated.resolve(place, payload);
        return found === undefined ? REFUSED : value(found);
      }
      case 'Call':
        this.generated.enter(place, payload);
        return value(true);
      case 'File':
        if (payload === BEGIN) this.generated.beginFile(place);
        else this.generated.endFile(place);
        return value(true);
      case 'Reached':
        if (this.report.reached.length < MAX_REACHED && !this.report.reached.includes(place))
          this.report.reached.push(place);
        return value(true);
      case 'Template':
        return value(this.instrument(place, Buffer.from(payload.replaceAll('_', '/'), 'base64').toString()));
      default:
        return NOT_FOUND;
    }
  }

  private instrument(site: string, text: string): string {
    const key = `${site} ${text}`;
    const known = this.templates.get(key);
    if (known !== undefined) return known;
    if (text.length > MAX_TEMPLATE_LENGTH || this.templatesLength + text.length > MAX_TEMPLATES_LENGTH) return text;
    this.templatesLength += text.length;
    const instrumented = instrumentTemplate(`values of ${site}`, text, { isAssumed: false });
    this.report.sites.push(...instrumented.sites);
    this.templates.set(key, instrumented.text);
    return instrumented.text;
  }
}

const toPlural = (kind: InternalKind): string => kind.toLowerCase();

const INTERNAL_RESOURCES: readonly ServedKind[] = INTERNAL_KINDS.map((kind) => ({
  apiVersion: INTERNAL_API,
  kind,
  plural: toPlural(kind),
  namespaced: true,
}));

const isSame = (a: ServedKind, b: ServedKind): boolean => a.apiVersion === b.apiVersion && a.kind === b.kind;

/** The form of a Kubernetes version, as Helm reads it. */
function describeVersion(gitVersion: string): object {
  const [, major = '1', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { major, minor, gitVersion: gitVersion.startsWith('v') ? gitVersion : `v${gitVersion}` };
}

/** `group/version/Kind`, or `group/version` without a kind. */
function parseApiVersion(text: string): ServedKind {
  const parts = text.split('/');
  const kind = /^[A-Z]/.test(parts.at(-1) ?? '') ? (parts.pop() ?? '') : '';
  return { apiVersion: parts.join('/'), kind, plural: kind.toLowerCase(), namespaced: true };
}

/** The versions of each group in the order of the kinds, which is that of preference. */
function groupKinds(kinds: readonly ServedKind[]): Map<string, Map<string, ServedKind[]>> {
  const groups = new Map<string, Map<string, ServedKind[]>>();
  for (const served of kinds) {
    const [version = '', group = ''] = served.apiVersion.split('/').reverse();
    const versions = groups.get(group) ?? new Map<string, ServedKind[]>();
    groups.set(group, versions);
    versions.set(version, [...(versions.get(version) ?? []), ...(served.kind === '' ? [] : [served])]);
  }
  return groups;
}

/** The aggregated discovery, which clusters serve from Kubernetes 1.26 on. */
function aggregate(kinds: readonly ServedKind[], version: string): object {
  const items = [...groupKinds(kinds)].map(([group, versions]) => ({
    metadata: { name: group },
    versions: [...versions].map(([name, served]) => ({
      version: name,
      freshness: 'Current',
      resources: served.map(({ kind, plural, namespaced }) => ({
        resource: plural,
        singularResource: kind.toLowerCase(),
        responseKind: { group, version: name, kind },
        scope: namespaced ? 'Namespaced' : 'Cluster',
        verbs: VERBS,
      })),
    })),
  }));
  return { apiVersion: `apidiscovery.k8s.io/${version}`, kind: 'APIGroupDiscoveryList', metadata: {}, items };
}

function groupList(root: string, kinds: readonly ServedKind[]): object {
  const groups = groupKinds(kinds);
  if (root === '/api') return { kind: 'APIVersions', versions: [...(groups.get('')?.keys() ?? [])] };
  const list = [...groups].map(([name, versions]) => {
    const all = [...versions.keys()].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: all, preferredVersion: all[0] };
  });
  return { apiVersion: 'v1', kind: 'APIGroupList', groups: list };
}

const VERBS = ['get', 'list'];

const resourceList = (groupVersion: string, kinds: readonly ServedKind[]): object => ({
  apiVersion: 'v1',
  kind: 'APIResourceList',
  groupVersion,
  resources: kinds.map(({ kind, plural, namespaced }) => ({
    name: plural,
    singularName: '',
    kind,
    namespaced,
    verbs: VERBS,
  })),
});

function statusBody(code: number, reason: string): object {
  return { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason, code };
}
