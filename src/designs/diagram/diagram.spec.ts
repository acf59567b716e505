import { type DesignComponent, type DesignFile } from '../../formats/design-file/design-file.js';
import { type JsonObject } from '../../formats/documents/located-document.js';
import { type Diagram } from './diagram.js';
import { buildDiagram } from './build-diagram.js';
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
  renderDiagram({ design: file, title, theme: 'auto', onlySummary });
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
    expect(diagram.groups).toEqual([{ kind: 'Namespace', name: 'prod' }]);
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

  it('draws one edge for all relationships of a pair, and none for those that were dismissed or only tell siblings', () => {
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
    const svg = await picture(all);
    expect(titleOf(svg)).toBe('shop (summary)');
    expect(svg).toContain('1,200 components');
    expect(cardsIn(svg)).toBe(4);
    const kinds = Array.from({ length: 900 }, (_each, index) => component(`k${index}`, `Kind${index}`));
    expect(summarizeDiagram(buildDiagram(design(kinds), 'shop')).nodes).toHaveLength(300);
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
