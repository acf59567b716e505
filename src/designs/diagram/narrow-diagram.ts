import { InvalidRequest } from '../../core/errors/app-error.js';
import { formatCount } from './build-diagram.js';
import { type Diagram, type DiagramNode, pickNodes } from './diagram.js';
import { toDisplayText } from './display-text.js';
import { type KindCategory } from './kind-categories.js';

/** Elements that can be left out of a diagram. */
export const HIDDEN_CATEGORIES = { access: 'access', definitions: 'definition' } as const satisfies Record<
  string,
  KindCategory
>;
export type Hideable = keyof typeof HIDDEN_CATEGORIES;

/** The part of a design that a diagram shows. */
export interface DiagramPart {
  hide: Hideable[];
  /** Id, name, or `Kind/name` of a component, or the name of a namespace or of a service. */
  focus?: string;
  /** The maximum distance from the focus, in relationships. */
  depth: number;
}

/** @throws InvalidRequest when the focus matches nothing */
export function narrowDiagram(diagram: Diagram, { hide, focus, depth }: DiagramPart): Diagram {
  const centre = focus === undefined ? new Set<number>() : findFocus(diagram, focus);
  const hidden = new Set<KindCategory>(hide.map((word) => HIDDEN_CATEGORIES[word]));
  const marked: Diagram = {
    ...diagram,
    nodes: diagram.nodes.map((node, index) => (centre.has(index) ? { ...node, isFocus: true } : node)),
  };
  const shown = pickNodes(marked, ({ category, isFocus }) => isFocus === true || !hidden.has(category));
  const left = diagram.nodes.length - shown.nodes.length;
  const visible = left > 0 ? withNote(shown, `${formatCount(left, 'component')} left out: ${hide.join(', ')}`) : shown;
  if (focus === undefined) return visible;
  const reached = findNeighbours(visible, depth);
  const part = pickNodes(visible, (_node, index) => reached.has(index));
  const reach = formatCount(depth, 'relationship');
  return withNote(
    part,
    `shows ${formatCount(part.nodes.length, 'component')} up to ${reach} away from ${toDisplayText(focus)}`,
  );
}

const withNote = (diagram: Diagram, note: string): Diagram => ({ ...diagram, notes: [...diagram.notes, note] });

/** The nodes of the focus: by id, else by name, else a whole frame. */
function findFocus({ nodes, groups }: Diagram, focus: string): Set<number> {
  const name = toDisplayText(focus);
  const isCalled = (each: { kind: string; name: string }): boolean =>
    each.name === name || `${each.kind}/${each.name}` === name;
  const frames = new Set(
    groups.flatMap((group, index) => (group.component === focus || isCalled(group) ? [index] : [])),
  );
  const ways: ((node: DiagramNode) => boolean)[] = [
    ({ members: [member] }) => member?.id === focus,
    isCalled,
    ({ group }) => group !== undefined && frames.has(group),
  ];
  for (const isMeant of ways) {
    const found = nodes.flatMap((node, index) => (isMeant(node) ? [index] : []));
    if (found.length > 0) return new Set(found);
  }
  throw InvalidRequest.forField(
    'focus',
    `names no component of this design: ${name}`,
    'Send the id or the name of a component, or Kind/name; GET /api/pattern/{id} lists the components.',
  );
}

function findNeighbours({ nodes, edges }: Diagram, depth: number): Set<number> {
  const reached = new Set(nodes.flatMap(({ isFocus }, index) => (isFocus ? [index] : [])));
  for (let step = 0; step < depth; step += 1) {
    const next = edges.flatMap(({ from, to }) => (reached.has(from) ? [to] : reached.has(to) ? [from] : []));
    const before = reached.size;
    for (const index of next) reached.add(index);
    if (reached.size === before) break;
  }
  return reached;
}
