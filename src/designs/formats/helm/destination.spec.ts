import { requires } from '../../../../test/support/requirements.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { DocumentReader } from '../../../formats/documents/document-reader.js';
import { LocalRenderEngines } from '../../../formats/engines/local-render-engines.js';
import type { ChartCluster } from '../../../formats/helm/chart-api.js';
import type { ChartDestination } from '../../../formats/helm/helm.js';
import { WorkerPool } from '../../../core/workers/worker-pool.js';
import { createHash } from 'node:crypto';
import { archiveOf } from '../archive.fixture.js';
import type { ImportedDesign, ImportOptions } from '../format.js';
import { importDesign } from '../import-design.js';
import { readGeneratedCalls } from './release.js';

const HEAD = 'apiVersion: v2\nname: shop\nversion: 1.2.3\n';
const INSTALL: ChartDestination = { isUpgrade: false, revision: 1 };
const KINDS: ChartCluster['kinds'] = [
  { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
  { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', plural: 'customresourcedefinitions', namespaced: false }, // prettier-ignore
];

const pool = new WorkerPool();
const reader = new DocumentReader(pool);
afterAll(() => pool.close());

requires('HELM_BIN', 'a chart for a destination', (helm) => {
  const programs = new LocalRenderEngines({ helm });

  /** A release on a cluster, whose generated values are kept from one rendering to the next. */
  class Release {
    readonly values = new Map<string, Json>();
    lookups: string[] = [];

    constructor(private readonly cluster: Partial<ChartCluster> = {}) {}

    render(templates: Record<string, string>, options: ImportOptions = {}): Promise<ImportedDesign> {
      const cluster: ChartCluster = { version: 'v1.30.2', kinds: KINDS, values: this.values, ...this.cluster };
      const files = Object.entries(templates).map(([path, text]) => [path.includes('/') ? path : `shop/templates/${path}`, text]); // prettier-ignore
      const chart = { 'shop/Chart.yaml': HEAD, ...(Object.fromEntries(files) as Record<string, string>) };
      const engines = programs.forCluster(cluster) as LocalRenderEngines;
      return archiveOf(chart).then((file) =>
        importDesign(file, reader, { programs: engines, destination: INSTALL, ...options }),
      );
    }

    /** The data of a ConfigMap of these entries. */
    async data(entries: Record<string, string>, options: ImportOptions = {}, more: Record<string, string> = {}) {
      const lines = Object.entries(entries).map(([name, text]) => `  ${name}: ${text}\n`);
      const map = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\ndata:\n${lines.join('')}`;
      const { design } = await this.render({ 'map.yaml': map, ...more }, options);
      const found = design.components.find(({ displayName }) => displayName === 'map');
      return found?.configuration['data'] as Record<string, string>;
    }
  }

  it('sees the version and the kinds of the cluster, and how often it was installed there', async () => {
    const seen = {
      version: '{{ .Capabilities.KubeVersion }} {{ .Capabilities.KubeVersion.Minor }}',
      kinds: '{{ .Capabilities.APIVersions | sortAlpha | join "," }}',
      has: '{{ .Capabilities.APIVersions.Has "apps/v1" | quote }}',
      release: '{{ .Release.IsInstall }} {{ .Release.IsUpgrade }} {{ .Release.Revision }}',
    };
    expect(await new Release().data(seen)).toEqual({
      version: 'v1.30.2 30',
      kinds: 'apiextensions.k8s.io/v1,apiextensions.k8s.io/v1/CustomResourceDefinition,v1,v1/ConfigMap,v1/Secret',
      has: 'false',
      release: 'true false 1',
    });
    const later = await new Release().data(seen, { destination: { isUpgrade: true, revision: 7 } });
    expect(later['release']).toBe('false true 7');
  });

  it('renders objects of kinds that only it brings, and sees those of its crds/', async () => {
    const definition = (kind: string) => `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${kind.toLowerCase()}s.example.org}\nspec: {group: example.org, scope: Namespaced, names: {kind: ${kind}, plural: ${kind.toLowerCase()}s}, versions: [{name: v1, served: true, storage: true}]}\n`; // prettier-ignore
    const object = (kind: string) => `apiVersion: example.org/v1\nkind: ${kind}\nmetadata: {name: ${kind.toLowerCase()}}\nhas: {{ .Capabilities.APIVersions.Has "example.org/v1/${kind}" }}\n`; // prettier-ignore
    const { design } = await new Release().render({
      'shop/crds/a.yaml': definition('Early'),
      'late.yaml': definition('Late'),
      'objects.yaml': `${object('Early')}---\n${object('Late')}---\n${object('Never')}`,
    });
    const has = design.components.filter(({ component }) => component.version === 'example.org/v1');
    expect(Object.fromEntries(has.map(({ component, configuration }) => [component.kind, configuration['has']]))).toEqual({ Early: true, Late: false, Never: false }); // prettier-ignore
  });

  it('keeps what it generates, and what is made of that', async () => {
    const release = new Release();
    const entries = {
      password: '{{ randAlphaNum (int (default 12 .Values.length)) | quote }}',
      again: '{{ randAlphaNum 8 | b64enc | quote }}',
      id: '{{ default uuidv4 .Values.id }}',
      number: '{{ add1 (randInt 1 1000000) | quote }}',
      at: '{{ now | date "2006-01-02T15:04:05" | quote }}',
      year: '{{ date "2006" now | quote }}',
      hashed: '{{ .Values.user | default "x" | bcrypt | quote }}',
      htpasswd: '{{ htpasswd "admin" (randAscii 7) | quote }}',
      keys: '{{ keys (dict "b" 1 "a" 2 "c" 3) | join "," }}',
      checksum: '{{ include (print $.Template.BasePath "/other.yaml") . | sha256sum }}',
      key: '{{ genPrivateKey "ecdsa" | quote }}',
    };
    const more = { 'other.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: {{ randAlpha 20 }}}\n' }; // prettier-ignore
    const first = await release.data(entries, {}, more);
    expect(first['password']).toMatch(/^[A-Za-z0-9]{12}$/);
    expect(Buffer.from(first['again'] ?? '', 'base64').toString()).toMatch(/^[A-Za-z0-9]{8}$/);
    expect(first['id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(first['at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(first['htpasswd']).toMatch(/^admin:\$2/);
    expect(first['keys']).toBe('a,b,c');
    expect(await release.data(entries, {}, more)).toEqual(first);
    const longer = await release.data(entries, { values: { length: 20 } }, more);
    expect(longer['password']).toMatch(/^[A-Za-z0-9]{20}$/);
    expect({ ...longer, password: first['password'] }).toEqual(first);
    const other = await release.data(entries, { values: { user: 'y' } }, more);
    expect(Object.keys(first).filter((name) => first[name] !== other[name])).toEqual(['hashed']);
    expect(Object.values(await new Release().data(entries, {}, more))).not.toEqual(Object.values(first));
  });

  it('generates for the checksum of a file what it generates for the file', async () => {
    const release = new Release();
    const helpers = '{{- define "shop.id" }}{{ uuidv4 }}{{ end -}}';
    const secret = (name: string, value: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\nstringData: {a: ${value}}\n`; // prettier-ignore
    const templates = {
      '_helpers.tpl': helpers,
      '_part.yaml': '{{ randAlpha 20 }}',
      'a.yaml': secret('a', '{{ randAlpha 20 }}-{{ randAlpha 20 }}-{{ include "shop.id" . }}'),
      'z.yaml': secret('z', '{{ randAlpha 20 }}'),
      'nested.yaml': secret('nested', '{{ include (print $.Template.BasePath "/z.yaml") . | sha256sum }}-{{ randAlpha 20 }}'), // prettier-ignore
    };
    const sumOf = (file: string) => `{{ include (print $.Template.BasePath "/${file}") . | sha256sum }}`;
    const part = '{{ include (print $.Template.BasePath "/_part.yaml") . }}';
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\ndata:\n';
    const entries = { a: sumOf('a.yaml'), again: sumOf('a.yaml'), z: sumOf('z.yaml'), nested: sumOf('nested.yaml'), one: part, other: part }; // prettier-ignore
    const lines = Object.entries(entries).map(([name, text]) => `  ${name}: ${text}\n`);
    const { design } = await release.render({ ...templates, 'map.yaml': map + lines.join('') });
    const dataOf = (name: string) => {
      const { data, stringData } =
        design.components.find(({ displayName }) => displayName === name)?.configuration ?? {};
      return (data ?? stringData) as Record<string, string>;
    };
    const rendered = (name: string) =>
      createHash('sha256')
        .update(secret(name, dataOf(name)['a'] ?? ''))
        .digest('hex');
    const data = dataOf('map');
    expect(data).toMatchObject({
      a: rendered('a'),
      again: rendered('a'),
      z: rendered('z'),
      nested: rendered('nested'),
    });
    expect(dataOf('nested')['a']).toMatch(new RegExp(`^${rendered('z')}-`));
    const [one, two] = (dataOf('a')['a'] ?? '').split('-');
    expect(one).not.toBe(two);
    expect(data['one']).not.toBe(data['other']);
  });

  it('keeps certificates that fit their authority', async () => {
    const release = new Release();
    const text = `{{- $ca := genCA "shop-ca" 365 }}
{{- $cert := genSignedCert (.Values.host | default "shop") nil (list "shop.svc") 365 $ca }}
apiVersion: v1
kind: ConfigMap
metadata: {name: certificates}
data:
  ca: {{ $ca.Cert | quote }}
  caKey: {{ $ca.Key | quote }}
  cert: {{ $cert.Cert | quote }}
  self: {{ (genSelfSignedCert "x" nil nil 9).Cert | quote }}
`;
    const read = async (options: ImportOptions = {}) =>
      (await release.render({ 'c.yaml': text }, options)).design.components[0]?.configuration['data'] as Record<string, string>; // prettier-ignore
    const first = await read();
    expect(first['cert']).toContain('BEGIN CERTIFICATE');
    expect(await read()).toEqual(first);
    const { X509Certificate } = await import('node:crypto');
    const check = ({ ca = '', cert = '' }: Record<string, string>) =>
      new X509Certificate(cert).verify(new X509Certificate(ca).publicKey);
    expect(check(first)).toBe(true);
    const other = await read({ values: { host: 'other' } });
    expect(check(other)).toBe(true);
    expect(Object.keys(first).filter((name) => first[name] !== other[name])).toEqual(['cert']);
  });

  it('keeps the values of loops, helpers and nested templates, whatever comes before them', async () => {
    const release = new Release();
    const helpers = '{{- define "shop.password" -}}{{ randAlphaNum 10 }}{{- end -}}{{- define "shop.outer" }}{{ include "shop.password" . }}{{ end -}}'; // prettier-ignore
    const entries = {
      first: '{{ if .Values.more }}{{ include "shop.password" . }}{{ else }}"none"{{ end }}',
      second: '{{ include "shop.outer" . | upper | lower | quote }}',
      third: '{{ include "shop.password" . | b64enc }}',
      users:
        '\n{{- range $name, $user := .Values.users }}\n    {{ $name }}-{{ $user.age }}-{{ randAlphaNum 5 }}\n{{- end }}',
      list: '\n{{- range .Values.list -}}\n{{ printf "\\n    %s-%s" . (randAlphaNum 5) }}\n{{- end }}',
      objects: '\n{{- range .Values.objects }}\n    {{ .name }}-{{ include "shop.password" $ }}\n{{- end }}',
      nested: '{{ tpl .Values.text . }}-{{ tpl "x" . }}',
    };
    const values = { users: { b: { age: 1 }, d: { age: 1 } }, list: ['b', 'd'], objects: [{ name: 'b' }, { name: 'd', x: 1 }], text: 'n{{ randNumeric 9 }}' }; // prettier-ignore
    const more = { '_helpers.tpl': helpers };
    const first = await release.data(entries, { values }, more);
    expect(await release.data(entries, { values }, more)).toEqual(first);
    const grown = {
      more: true,
      users: { a: { age: 1 }, b: { age: 2 }, d: { age: 1 } },
      list: ['a', 'b', 'd'],
      objects: [{ name: 'a' }, { name: 'b' }, { name: 'd', x: 2 }],
      text: values.text,
    };
    const second = await release.data(entries, { values: grown }, more);
    const items = (text = '') => text.split(' ').map((item) => item.replace(/-\d-/, '-'));
    for (const name of ['users', 'list', 'objects']) {
      const [before, after] = [items(first[name]), items(second[name])];
      expect(after).toHaveLength(3);
      expect(after.slice(1)).toEqual(before);
    }
    for (const name of ['second', 'third', 'nested']) expect(second[name]).toBe(first[name]);
    expect(first['nested']).toMatch(/^n\d{9}-x$/);
    expect(second['first']).toMatch(/^[A-Za-z0-9]{10}$/);
  });

  it('names the values that it has generated', async () => {
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  a: {{ randAlphaNum 9 }}\n  b: {{ uuidv4 }}\n'; // prettier-ignore
    const { design, warnings } = await new Release().render({ 'secret.yaml': secret });
    expect(warnings).toEqual([]);
    const calls = readGeneratedCalls(design.metadata).map((call) => `${call.template} ${call.function}`);
    expect(calls.sort()).toEqual(['templates/secret.yaml randAlphaNum', 'templates/secret.yaml uuidv4']);
  });

  it('looks objects up on the cluster', async () => {
    const asked: unknown[] = [];
    const lookup: ChartCluster['lookup'] = (query) => {
      asked.push(query);
      const found: JsonObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'eA==' } };
      return Promise.resolve(query.name === 's' ? found : undefined);
    };
    const data = await new Release({ lookup }).data({
      found: '{{ (lookup "v1" "Secret" .Release.Namespace "s").data.a | b64dec }}',
      missing: '{{ lookup "v1" "Secret" "there" "none" | toJson | quote }}',
      all: '{{ lookup "v1" "ConfigMap" "" "" | toJson | quote }}',
    });
    expect(data).toEqual({ found: 'x', missing: '{}', all: '{}' });
    expect(asked).toEqual([
      { apiVersion: 'v1', plural: 'secrets', namespace: 'default', name: 's' },
      { apiVersion: 'v1', plural: 'secrets', namespace: 'there', name: 'none' },
      { apiVersion: 'v1', plural: 'configmaps' },
    ]);
  });

  it('names what was decided without a cluster, with its place', async () => {
    const map = `apiVersion: v1
kind: ConfigMap
metadata: {name: map}
data:
{{- if .Capabilities.APIVersions.Has "v1/Secret" }}
  has: 'yes'
{{- else if semverCompare ">=1.2.3" .Capabilities.KubeVersion.Version }}
  never: reached
{{- end }}
{{- if .Values.off }}
  off: {{ .Capabilities.KubeVersion }}
{{- end }}
  found: {{ lookup "no.such/v1" "Thing" "" "x" | toJson | quote }}
  helm: {{ .Capabilities.HelmVersion.Version | quote }}
`;
    const destination = { ...INSTALL, isAssumed: true };
    const { design, warnings } = await new Release().render({ 'map.yaml': map }, { destination });
    expect(design.components[0]?.configuration['data']).toMatchObject({ has: 'yes', found: '{}' });
    expect(warnings.map(({ file, line, detail }) => [file, line, detail])).toEqual([
      ['shop/templates/map.yaml', 5, '".Capabilities.APIVersions.Has "v1/Secret"" was decided without a cluster'],
      ['shop/templates/map.yaml', 13, '"lookup "no.such/v1" "Thing" "" "x" | toJson | quote" was decided without a cluster'], // prettier-ignore
    ]);
  });

  it('is refused for the version that it does not want, and for what Helm cannot build, with the place', async () => {
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n';
    const wants = (bounds: string) =>
      new Release().render({ 'shop/Chart.yaml': `${HEAD}kubeVersion: "${bounds}"\n`, 'map.yaml': map });
    await expect(wants('<1.31.0-0')).resolves.toMatchObject({ name: 'shop' });
    await expect(wants('>=1.31.0-0')).rejects.toMatchObject({
      errors: [{ file: 'shop/Chart.yaml', detail: expect.stringContaining('incompatible with Kubernetes v1.30.2') as string }], // prettier-ignore
    });
    const nameless = new Release().render({ 'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n' });
    await expect(nameless).rejects.toMatchObject({
      errors: [{ file: 'shop/templates/map.yaml', detail: expect.stringContaining('metadata.name is missing') as string }], // prettier-ignore
    });
  });
});
