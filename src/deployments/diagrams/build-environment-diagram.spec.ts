import { DiagramLayout } from '../../designs/diagram/diagram-layout.js';
import { renderSvg } from '../../designs/diagram/svg.js';
import type { HealthStatus } from '../../kubernetes/resources/health/health-status.js';
import { buildEnvironmentDiagram, type EnvironmentContents } from './build-environment-diagram.js';
import type { ResourceCount } from './environment-resources.store.js';

const cluster = { id: 'c', name: 'one', notes: [] };
const counted = (
  namespace: string,
  kind: string,
  count: number,
  health: HealthStatus | null = null,
): ResourceCount => ({ connection_id: 'c', namespace, group: 'apps', kind, health, count });
const build = (contents: Partial<EnvironmentContents>) =>
  buildEnvironmentDiagram({ name: 'shop', clusters: [cluster], counts: [], named: [], ...contents });

describe('the diagram of an environment', () => {
  it('has a card for each object of a small environment, in the frame of its namespace', () => {
    const counts = [counted('web', 'Deployment', 1, 'Healthy'), counted('', 'ClusterRole', 1)];
    const named = counts.map(({ count: _, ...one }) => ({ ...one, name: 'a', message: null }));
    const { groups, nodes, notes } = build({ counts, named });
    expect(groups).toEqual([
      { kind: 'Namespace', name: 'web' },
      { kind: 'Cluster', name: 'one' },
    ]);
    expect(nodes.map(({ kind, name, group, mark }) => [kind, name, group, mark?.text])).toEqual([
      ['Deployment', 'a', 0, 'Healthy'],
      ['ClusterRole', 'a', 1, undefined],
    ]);
    expect(notes[0]).toBe('2 objects in 2 locations, 1 cluster');
  });

  it('counts thousands by namespace and kind, with the worst health and its object', () => {
    const counts = [counted('web', 'Pod', 49_000, 'Healthy'), counted('web', 'Pod', 2, 'Degraded')];
    const { count: _, ...pod } = counted('web', 'Pod', 1, 'Degraded');
    const { nodes } = build({ counts, named: [{ ...pod, name: 'web-1', message: 'CrashLoopBackOff' }] });
    expect(nodes).toHaveLength(1);
    expect(nodes[0]).toMatchObject({ kind: 'Pod', count: 49_002, name: '2 Degraded, 49,000 Healthy' });
    expect(nodes[0]?.mark).toMatchObject({
      text: 'Degraded',
      title: expect.stringContaining('web-1: Degraded, Crash') as string,
    });
  });

  it('shows unhealthy locations first, and says how much is omitted', () => {
    const kinds = Array.from({ length: 20 }, (_, kind) => `Kind${kind}`);
    const counts = Array.from({ length: 200 }, (_, at) => kinds.map((kind) => counted(`n${at}`, kind, 50))).flat();
    const { groups, nodes, notes } = build({ counts: [...counts, counted('ill', 'Pod', 1, 'Degraded')] });
    expect(groups[0]?.name).toBe('ill');
    expect(nodes.length).toBeLessThanOrEqual(600);
    expect(notes).toContainEqual(expect.stringMatching(/^\d+ further locations with [\d,]+ objects not drawn$/));
  });

  it('escapes names', () => {
    const evil = '<script>alert(1)</script>"\u0000\u202e';
    const counts = [counted(evil, evil, 1, 'Degraded')];
    const { count: _, ...one } = counted(evil, evil, 1, 'Degraded');
    const clusters = [{ ...cluster, name: evil, notes: [evil] }];
    const diagram = build({ name: evil, clusters, counts, named: [{ ...one, name: evil, message: evil }] });
    const svg = renderSvg(diagram, new DiagramLayout(diagram, null).build(), 'auto');
    expect(svg).not.toContain('<script');
    expect(svg).not.toMatch(/\p{Cc}(?<!\n)|\p{Cf}/u);
    expect(svg).toContain('&#60;script&#62;');
  });
});
