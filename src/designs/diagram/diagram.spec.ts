import { type DesignComponent, type DesignFile } from '../../formats/design-file/design-file.js';
import type { JsonObject } from '../../core/json/json.js';
import { type Diagram } from './diagram.js';
import { buildDiagram } from './build-diagram.js';
import { foldEquals } from './fold-equals.js';
import { badgeHubs } from './hubs.js';
import { narrowDiagram } from './narrow-diagram.js';
import { measureWidth } from './display-text.js';
import { PALETTES } from './palette.js';
import { renderDiagram } from './render-diagram.js';
import { summarizeDiagram } from './summary.js';

function component(id: string, kind: string, more: { name?: string; namespace?: string; metadata?: JsonObject } = {}): DesignComponent {
  const { name = id, namespace, metadata = {} } = more;
  const own = { name, ...(namespace === undefined ? {} : { namespace }) };
  return {
    id, schemaVersion: '', version: '', displayName: name, description: '', format: 'JSON', model: { name: 'kubernetes' },
    component: { kind, version: 'v1' }, configuration: { metadata: own }, metadata,
  };
} // prettier-ignore

const relationship = (from: string, to: string, subType: string, more: JsonObject = {}): JsonObject => ({
  kind: 'edge', type: 'non-binding', subType, ...more, selectors: [{ allow: { from: [{ id: from }], to: [{ id: to }] } }],
}); // prettier-ignore

function design(
  components: DesignComponent[],
  relationships: JsonObject[] = [],
  metadata: JsonObject = {},
): DesignFile {
  return { name: 'shop', schemaVersion: '', version: '', components, relationships, metadata, preferences: {} };
}

const picture = (file: DesignFile, title = 'shop', onlySummary = false): Promise<string> =>
  renderDiagram({ design: file, title, theme: 'auto', hide: [], depth: 1, onlySummary });
const namesIn = ({ nodes }: Diagram, group: number): string[] =>
  nodes.filter((node) => node.group === group).map(({ name }) => name);
const titleOf = (svg: string): string => /<title id="title">([^<]*)/.exec(svg)?.[1] ?? '';
const cardsIn = (svg: string): number => svg.split('<g class="card').length - 1;

describe('a diagram', () => {
  it('groups by namespace: the one that is named, or the one that a relationship puts a component into', () => {
    const parent = { kind: 'hierarchical', type: 'parent' };
    const diagram = buildDiagram(
      design(
        [component('n', 'Namespace', { name: 'prod' }), component('a', 'Pod', { namespace: 'prod' }), component('b', 'Pod'), component('c', 'Pod'), component('e', 'Namespace')],
        [relationship('a', 'n', 'inventory', parent), relationship('b', 'n', 'inventory', parent)],
      ),
      'shop',
    ); // prettier-ignore
    expect(diagram.groups).toEqual([{ kind: 'Namespace', name: 'prod', component: 'n' }]);
    expect(namesIn(diagram, 0)).toEqual(['a', 'b']);
    expect(diagram.nodes.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'e']);
    expect(diagram.edges).toEqual([]);
  });

  it('groups what came from Compose by service, with what only this service uses, and says what services wait for', () => {
    const compose = (service: string, definition?: JsonObject): JsonObject => ({ compose: { service, ...(definition ? { definition } : {}) } }); // prettier-ignore
    const diagram = buildDiagram(
      design(
        [
          component('web', 'Deployment', { metadata: compose('web', { depends_on: { db: { condition: 'service_started' } } }) }),
          component('web-service', 'Service', { metadata: compose('web') }),
          component('db', 'Deployment', { metadata: compose('db', {}) }),
          component('data', 'PersistentVolumeClaim', { metadata: { compose: { volume: 'data' } } }),
          component('shared', 'PersistentVolumeClaim', { metadata: { compose: { volume: 'shared' } } }),
        ],
        [relationship('db', 'data', 'mount'), relationship('db', 'shared', 'mount'), relationship('web', 'shared', 'mount')],
        { compose: {} },
      ),
      'shop',
    ); // prettier-ignore
    expect(diagram.groups.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['Service web', 'Service db']);
    expect(namesIn(diagram, 1)).toEqual(['db', 'data']);
    expect(diagram.nodes.find(({ name }) => name === 'shared')?.group).toBeUndefined();
    expect(diagram.edges).toContainEqual({ from: 0, to: 2, labels: ['depends on'], isParent: false });
  });

  it('draws one edge for all relationships of a pair, and none for those that were dismissed or only relate siblings', () => {
    const { edges, notes } = buildDiagram(
      design(
        [component('a', 'Pod'), component('b', 'Secret')],
        [
          relationship('a', 'b', 'mount'),
          relationship('a', 'b', 'reference'),
          relationship('a', 'b', 'mount'),
          relationship('b', 'a', 'alias', { kind: 'hierarchical', type: 'parent' }),
          relationship('b', 'a', 'gone', { status: 'deleted' }),
          relationship('a', 'nobody', 'network'),
          relationship('a', 'b', 'matchlabels', { kind: 'hierarchical', type: 'sibling' }),
        ],
      ),
      'shop',
    );
    expect(edges).toEqual([
      { from: 0, to: 1, labels: ['mount', 'reference'], isParent: false },
      { from: 1, to: 0, labels: ['alias'], isParent: true },
    ]);
    expect(notes).toEqual(['2 components, 4 relationships', '1 relationship between siblings not drawn']);
  });

  it('counts instead of drawing each when there are too many, and says so', async () => {
    const pods = Array.from({ length: 1200 }, (_each, index) => component(`p${index}`, index % 3 ? 'Pod' : 'Secret', { namespace: `n${index % 2}` })); // prettier-ignore
    const all = design(pods, [relationship('p1', 'p3', 'mount'), relationship('p7', 'p9', 'reference')]);
    const summary = summarizeDiagram(buildDiagram(all, 'shop'));
    expect(summary.nodes.map(({ kind, name }) => `${kind}: ${name}`).sort()).toEqual(['Pod: 400 components', 'Pod: 400 components', 'Secret: 200 components', 'Secret: 200 components']); // prettier-ignore
    expect(summary.edges.map(({ labels }) => labels)).toEqual([['mount', 'reference']]);
    const folded = await picture(all);
    expect(titleOf(folded)).toBe('shop');
    expect(folded).toContain('200 × Secret');
    const svg = await picture(all, 'shop', true);
    expect(titleOf(svg)).toBe('shop (summary)');
    expect(svg).toContain('1,200 components');
    expect(cardsIn(svg)).toBe(4);
    const distinct = Array.from({ length: 1200 }, (_each, index) =>
      component(`d${index}`, `Kind${index}`, { namespace: `n${index}` }),
    );
    expect(titleOf(await picture(design(distinct)))).toBe('shop (summary)');
    const kinds = Array.from({ length: 900 }, (_each, index) => component(`k${index}`, `Kind${index}`));
    expect(summarizeDiagram(buildDiagram(design(kinds), 'shop')).nodes).toHaveLength(300);
  });

  it('folds what differs in its name alone into one card with a number, and leaves fewer than five as they are', () => {
    const maps = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => component(name, 'ConfigMap', { name: `board-${name}` }));
    const secrets = ['s', 't', 'u', 'v'].map((name) => component(name, 'Secret'));
    const mounted = [...maps, ...secrets].map(({ id }) => relationship('web', id, 'mount'));
    const all = buildDiagram(
      design([component('web', 'Deployment'), ...maps, component('free', 'ConfigMap'), ...secrets], mounted),
      'shop',
    );
    const { nodes, edges } = foldEquals(all, { unlinked: false });
    expect(nodes.map(({ kind, name, count }) => [kind, name, count])).toEqual([
      ['Deployment', 'web', undefined],
      ['ConfigMap', 'board-… a, b, c, d, e, f', 6],
      ['ConfigMap', 'free', undefined],
      ...['s', 't', 'u', 'v'].map((name) => ['Secret', name, undefined]),
    ]);
    expect(nodes[1]?.members.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(edges).toHaveLength(5);
    const [, one] = maps;
    const diagram = buildDiagram(
      design(
        [component('web', 'Deployment'), ...maps],
        [...mounted.slice(0, 6), relationship('web', one?.id ?? '', 'env')],
      ),
      'shop',
    );
    expect(foldEquals(diagram, { unlinked: false }).nodes.map(({ count }) => count)).toEqual([undefined, 5, undefined]);
  });

  it('folds equal services of a Compose file into one frame, and those that wait for another stay apart', async () => {
    const service = (name: string, needs?: string): DesignComponent[] => [
      component(name, 'Deployment', {
        metadata: { compose: { service: name, definition: needs ? { depends_on: [needs] } : {} } },
      }),
      component(`${name}-service`, 'Service', { metadata: { compose: { service: name } } }),
    ];
    const tasks = Array.from({ length: 137 }, (_each, index) => `task-${index}`);
    const file = design(
      [...service('db'), ...tasks.flatMap((name) => service(name, 'db')), ...service('web', 'task-1')],
      tasks.map((name) => relationship(`${name}-service`, name, 'network')),
      { compose: {} },
    );
    const { nodes } = foldEquals(buildDiagram(file, 'shop'), { unlinked: false });
    expect(nodes.map(({ kind, count }) => `${count ?? 1} ${kind}`)).toEqual([
      '1 Deployment',
      '1 Service',
      '136 Deployment',
      '136 Service',
      '1 Deployment',
      '1 Service',
      '1 Deployment',
      '1 Service',
    ]);
    const svg = await picture(file);
    expect(svg).toContain('136 × Service');
    expect(cardsIn(svg)).toBe(8);
  });

  it('says in badges what the lines of a hub would say, and keeps lines between hubs', () => {
    const pods = Array.from({ length: 9 }, (_each, index) => component(`p${index}`, `Kind${index}`));
    const links = pods.map(({ id }) => relationship(id, 'db', 'network'));
    const all = buildDiagram(
      design([component('db', 'Service'), ...pods], [...links, relationship('p0', 'p1', 'mount')]),
      'shop',
    );
    expect(badgeHubs(all, 9)).toBe(all);
    const { nodes, edges, notes } = badgeHubs(all, 8);
    expect(edges.map(({ labels }) => labels)).toEqual([['mount']]);
    expect(nodes[0]?.badges).toEqual([{ text: '← 9', title: '9 cards lead here' }]);
    expect(nodes[1]?.badges).toEqual([{ text: '→ db', title: 'Kind0 p0 → Service db: network' }]);
    expect(notes.at(-1)).toContain('9 relationships with 1 hub');
  });

  it('is no strip when 138 services have much in common', async () => {
    const compose = (name: string, needs: string[]): DesignComponent =>
      component(name, 'Deployment', { metadata: { compose: { service: name, definition: { depends_on: needs } } } });
    const infra = ['postgres', 'redis', 'kafka', 'consul', 'otel'];
    const services = Array.from({ length: 133 }, (_each, index) =>
      compose(`s${index}`, [
        ...infra.filter((_name, bit) => (index >> bit) & 1),
        ...(index > 8 && index % 3 === 0 ? [`s${index - 8}`] : []),
      ]),
    );
    const svg = await picture(design([...infra.map((name) => compose(name, [])), ...services], [], { compose: {} }));
    const [, width = 0, height = 0] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.map(Number) ?? [];
    expect(width / height).toBeGreaterThan(0.5);
    expect(width / height).toBeLessThan(3.5);
    expect(svg).toContain('<g class="badge"');
    expect(titleOf(svg)).toBe('shop');
  });

  it('leaves out access and definitions, and shows what is around one component, by id, name, kind or frame', () => {
    const all = buildDiagram(
      design(
        [
          component('a', 'Deployment', { namespace: 'n' }),
          component('b', 'Service'),
          component('c', 'Ingress'),
          component('role', 'Role'),
          component('crd', 'CustomResourceDefinition'),
          component('a2', 'Secret', { name: 'a' }),
        ],
        [relationship('b', 'a', 'network'), relationship('c', 'b', 'network'), relationship('role', 'a', 'permission')],
      ),
      'shop',
    );
    const namesOf = (focus?: string, depth = 1, hide: ('access' | 'definitions')[] = []): string[] =>
      narrowDiagram(all, { hide, focus, depth }).nodes.map(({ members: [member] }) => member?.id ?? '');
    expect(namesOf(undefined, 1, ['access', 'definitions'])).toEqual(['a', 'b', 'c', 'a2']);
    expect(namesOf('a')).toEqual(['a', 'b', 'role']);
    expect(namesOf('a2')).toEqual(['a2']);
    expect(namesOf('Secret/a')).toEqual(['a2']);
    expect(namesOf('n', 2, ['access'])).toEqual(['a', 'b', 'c']);
    expect(namesOf('role', 0, ['access'])).toEqual(['role']);
    expect(() => namesOf('nothing')).toThrow('focus names no component of this design: nothing');
  });

  it('keeps headings and badges within their frames and cards', async () => {
    const long = 'a-very-long-name-of-a-namespace-that-nobody-would-type-twice-in-a-day';
    const pods = Array.from({ length: 30 }, (_each, index) =>
      component(`p${index}`, `Kind${index}`, { namespace: index % 2 ? long : 'm' }),
    );
    const hub = component('hub', 'Service', { name: 'W'.repeat(200) });
    const svg = await picture(
      design(
        [hub, ...pods],
        pods.map(({ id }) => relationship(id, 'hub', 'network')),
      ),
    );
    for (const [, width, kind = '', name = ''] of svg.matchAll(
      /<rect width="([\d.]+)" height="[\d.]+" rx="8"\/><text class="heading"[^>]*><tspan class="what">([^<]*)<\/tspan> ([^<]*)</g,
    ))
      expect(14 + measureWidth(`${kind} `, 11) + measureWidth(name, 13)).toBeLessThanOrEqual(Number(width));
    const badges = [
      ...svg.matchAll(/class="badge" transform="translate\((\d+) \d+\)"><title>[^<]*<\/title><rect width="(\d+)"/g),
    ];
    expect(badges.length).toBe(31);
    for (const [, x, width] of badges) expect(Number(x) + Number(width)).toBeLessThanOrEqual(208);
  });

  it('is a summary when what is related is too tangled', async () => {
    const pods = Array.from({ length: 200 }, (_each, index) => component(`p${index}`, 'Pod'));
    let last = 1;
    const next = (): string => `p${(last = (last * 48271) % 2147483647) % 200}`;
    const links = Array.from({ length: 900 }, () => relationship(next(), next(), 'network'));
    const svg = await picture(design(pods, links));
    expect(titleOf(svg)).toBe('shop (summary)');
    expect(cardsIn(svg)).toBe(1);
  });

  it('draws a design of nothing, and one of unconnected parts as rows and not as a line', async () => {
    expect(await picture(design([]))).toContain('This design is empty.');
    const svg = await picture(design(Array.from({ length: 150 }, (_each, index) => component(`c${index}`, 'ConfigMap'))));
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.map(Number) ?? [];
    expect(cardsIn(svg)).toBe(150);
    expect((width ?? 0) / (height ?? 1)).toBeGreaterThan(1);
    expect((width ?? 0) / (height ?? 1)).toBeLessThan(2.2);
  }); // prettier-ignore

  it('shows hostile names as text, without what is not seen, and not in full length', async () => {
    const names = ['<script>alert(1)</script>', `"quoted" & 'single'`, 'a\u0000b\u001b[31m\u202egnp.exe\ud800\uffff', 'x'.repeat(10_000), 'שלום עולם', '\\N\\G%N', `z${'\u0301'.repeat(500)}`, '</svg>', ']]>']; // prettier-ignore
    const parts = names.map((name, index) => component(`h${index}`, name, { name, namespace: name }));
    const links = names.map((name, index) => relationship(`h${index}`, `h${(index + 1) % names.length}`, name));
    const svg = await picture(design(parts, links), names[0]);
    expect(cardsIn(svg)).toBe(names.length);
    expect(svg).toContain('&#60;script&#62;');
    expect(svg).toContain('שלום עולם');
    expect(svg).toContain('…');
    expect(svg).not.toMatch(/<script|alert\(1\)<\/script|]]>/);
    expect(svg.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\ufffe\uffff]/u);
    expect(svg).not.toMatch(/x{300}|\u0301{4}/);
    expect(svg.match(/<(?!\/?(?:svg|title|desc|style|g|rect|text|tspan|path|polygon)\b)/g)).toBeNull();
    expect(svg.match(/\s(?:on\w+|href|xlink:href|src)=/g)).toBeNull();
  });

  it('has the contrasts that WCAG asks for, in light and in dark', () => {
    for (const { page, text, quiet, line, frame, categories: sorts } of Object.values(PALETTES)) {
      const grounds = [page, frame.fill, ...Object.values(sorts).map(({ fill }) => fill)];
      for (const ground of grounds) {
        expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(quiet, ground)).toBeGreaterThanOrEqual(4.5);
      }
      for (const stroke of [line, frame.stroke, ...Object.values(sorts).map((sort) => sort.stroke)]) {
        expect(contrast(stroke, page)).toBeGreaterThanOrEqual(3);
        expect(contrast(stroke, frame.fill)).toBeGreaterThanOrEqual(3);
      }
    }
  });
});

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(one: string, other: string): number {
  const [bright, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
