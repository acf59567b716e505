import { formatCount } from '../../designs/diagram/build-diagram.js';
import { type Diagram, type DiagramMark, type DiagramNode, groupItemsBy } from '../../designs/diagram/diagram.js';
import { toDisplayText } from '../../designs/diagram/display-text.js';
import { kindCategoryOf } from '../../designs/diagram/kind-categories.js';
import {
  findWorstHealth,
  HEALTH_STATUSES,
  type HealthStatus,
} from '../../kubernetes/resources/health/health-status.js';
import { colourOfHealth } from './deployment-marks.js';
import type { ResourceCount, NamedResource } from './environment-resources.store.js';

/** A cluster of an environment, with a note on the state of its watch. */
export interface DiagramCluster {
  id: string;
  name: string;
  notes: string[];
}

export interface EnvironmentContents {
  name: string;
  clusters: DiagramCluster[];
  counts: ResourceCount[];
  /** The objects that are named in cards or titles. */
  named: NamedResource[];
}

/** Up to this number of objects, all are named. Also the limit of cards per kind and namespace. */
export const MAX_NAMED = 400;
const MAX_SINGLE = 6;
const MAX_CARDS = 600;
const MAX_TITLES = 20;

interface Location {
  key: string;
  cluster: DiagramCluster | undefined;
  namespace: string;
  counts: ResourceCount[];
}

/** The diagram of an environment: a frame for each namespace, with a card for each object or, if there are many, for each kind. */
export function buildEnvironmentDiagram({ name, clusters, counts, named }: EnvironmentContents): Diagram {
  const total = sum(counts);
  const byKind = groupItemsBy(named, kindKey);
  const locations = readLocations(clusters, counts);
  const groups: Diagram['groups'] = [];
  const nodes: DiagramNode[] = [];
  let drawn = 0;
  for (const { cluster, namespace, counts: ofLocation } of locations) {
    const cards = [...groupItemsBy(ofLocation, kindKey)].flatMap(([key, kinds]) =>
      toNodes(kinds, byKind.get(key) ?? [], groups.length, total <= MAX_NAMED),
    );
    if (nodes.length + cards.length > MAX_CARDS && nodes.length > 0) break;
    groups.push(toFrame(cluster, namespace, clusters.length));
    nodes.push(...cards.slice(0, MAX_CARDS));
    drawn++;
  }
  const left = locations.slice(drawn);
  return {
    title: toDisplayText(name),
    notes: [
      `${formatCount(total, 'object')} in ${formatCount(new Set(locations.map(({ key }) => key)).size, 'location')}, ${formatCount(clusters.length, 'cluster')}`,
      ...(left.length > 0
        ? [
            `${formatCount(left.length, 'further location')} with ${formatCount(sum(left.flatMap((one) => one.counts)), 'object')} not drawn`,
          ]
        : []),
      ...clusters.flatMap((cluster) => cluster.notes.map((note) => toDisplayText(`${cluster.name}: ${note}`))),
    ],
    groups,
    nodes,
    edges: [],
  };
}

/** Locations with unhealthy objects first, then by number of objects. */
function readLocations(clusters: DiagramCluster[], counts: ResourceCount[]): Location[] {
  const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  const locations = [...groupItemsBy(counts, ({ connection_id, namespace }) => `${connection_id} ${namespace}`)].map(
    ([key, ofLocation]): Location => ({
      key,
      cluster: byId.get(ofLocation[0]?.connection_id ?? ''),
      namespace: ofLocation[0]?.namespace ?? '',
      counts: ofLocation,
    }),
  );
  const rank = ({ counts: ofLocation }: Location): number =>
    rankOf(findWorstHealth(ofLocation.map(({ health }) => health)));
  return locations.sort((one, other) => rank(other) - rank(one) || sum(other.counts) - sum(one.counts));
}

const toFrame = (
  cluster: DiagramCluster | undefined,
  namespace: string,
  clusters: number,
): Diagram['groups'][number] =>
  namespace === ''
    ? { kind: 'Cluster', name: toDisplayText(cluster?.name ?? '') }
    : { kind: 'Namespace', name: toDisplayText(clusters > 1 ? `${namespace} on ${cluster?.name ?? ''}` : namespace) };

/** @param kinds the counts of one kind in one location, by health */
function toNodes(kinds: ResourceCount[], named: NamedResource[], group: number, isSmall: boolean): DiagramNode[] {
  const [first] = kinds;
  const count = sum(kinds);
  if (!first) return [];
  const kind = toDisplayText(first.kind) || 'Object';
  if (isSmall && named.length === count && count <= MAX_SINGLE)
    return named.map((one) =>
      toNode(kind, toDisplayText(one.name) || 'unnamed', group, toMark(one.health, one.message)),
    );
  const worst = findWorstHealth(kinds.map(({ health }) => health));
  const counts = kinds
    .filter(({ health }) => health !== null)
    .sort((one, other) => rankOf(other.health) - rankOf(one.health))
    .map(({ health, count: ofHealth }) => `${ofHealth.toLocaleString('en')} ${health}`);
  const unwell = named
    .filter(({ health }) => health !== null && health !== 'Healthy')
    .map((one) => `${one.name}: ${one.health}${one.message ? `, ${one.message}` : ''}`);
  const title = toDisplayText([...counts, ...unwell.slice(0, MAX_TITLES)].join('; '), 1_000);
  const name = counts.length > 0 ? counts.join(', ') : formatCount(count, 'object');
  return [{ ...toNode(kind, name, group, toMark(worst, title)), ...(count > 1 && { count }) }];
}

function toNode(kind: string, name: string, group: number, mark: DiagramMark | undefined): DiagramNode {
  return {
    ...{ kind, name, group, isAnnotation: false, members: [{ id: '', name }] },
    category: mark ? kindCategoryOf(kind) : 'other',
    badges: mark ? [{ text: mark.text, title: mark.title }] : [],
    ...(mark && { mark }),
  };
}

const toMark = (health: HealthStatus | null, message: string | null): DiagramMark | undefined =>
  health
    ? { text: health, title: message ? toDisplayText(message, 1_000) : health, colour: colourOfHealth(health) }
    : undefined;

const rankOf = (health: HealthStatus | null): number => (health ? HEALTH_STATUSES.indexOf(health) : -1);
const kindKey = ({ connection_id, namespace, group, kind }: Omit<ResourceCount, 'health' | 'count'>): string =>
  JSON.stringify([connection_id, namespace, group, kind]);
const sum = (counts: readonly ResourceCount[]): number => counts.reduce((all, { count }) => all + count, 0);
