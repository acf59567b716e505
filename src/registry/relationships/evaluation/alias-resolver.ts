import { type DesignComponent, type DesignFile } from '../../../formats/design-file/design-file.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { estimateJsonBytes } from '../../../core/json/json-size.js';
import { findValuesAt, parsePath, WILDCARD, type ComponentPath } from './component-path.js';
import { type ResolvedAlias } from './indexed-component.js';
import { isActive } from './reconciliation.js';
import { relationshipKeyOf } from './relationship.js';

/** A component that stands for a part of another one: a Container for one of the containers of a Pod. */
interface Alias {
  path: ComponentPath;
  /** The component that it is a part of, which may be an alias itself. */
  parentId: string;
  /** The component that has its values. */
  sourceId: string;
  sourcePath: ComponentPath;
}

/** A container of a Pod of a Deployment is two deep. */
const MAX_DEPTH = 8;
/** The maximum size, as JSON, of all values that aliases have of their parents: many may have the same one. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Gives aliases the values of their parents. */
export class AliasResolver {
  private readonly components: ReadonlyMap<string, DesignComponent>;
  private readonly resolved = new Map<string, DesignComponent>();
  private remaining = MAX_BYTES;

  constructor(
    components: readonly DesignComponent[],
    private readonly aliases: ReadonlyMap<string, Alias>,
  ) {
    this.components = new Map(components.map((component) => [component.id, component]));
  }

  /** Aliases are what active alias relationships say, and the `resolvedAliases` of the metadata. */
  static of({ components, relationships, metadata }: DesignFile): AliasResolver {
    const aliases = new Map<string, Alias>();
    const add = (id: string, alias: Alias | undefined): void => {
      if (alias !== undefined && !aliases.has(id)) aliases.set(id, alias);
    };
    for (const relationship of relationships) {
      const { type, subType, from, to } = relationshipKeyOf(relationship);
      if (type !== 'parent' || subType !== 'alias' || !isActive(relationship)) continue;
      const [mutator, mutated] = readPatchedPaths(relationship);
      const [id = '', parentId = ''] = [from[0], to[0]];
      add(id, toAlias({ parentId, sourceId: parentId }, mutator, mutated));
    }
    for (const [id, entry] of Object.entries(asObject(metadata['resolvedAliases']))) {
      const {
        resolved_parent_id: source,
        resolved_ref_field_path: path,
        immediate_parent_id: parent,
      } = asObject(entry);
      add(id, toAlias({ parentId: asText(parent) || asText(source), sourceId: asText(source) }, path, path));
    }
    return new AliasResolver(components, aliases);
  }

  resolve(component: DesignComponent): ResolvedAlias {
    return { content: this.resolveContent(component, 0), parentId: this.aliases.get(component.id)?.parentId };
  }

  /** The component with the value of its parent, when it has nothing of its own. */
  private resolveContent(component: DesignComponent, depth: number): DesignComponent {
    const alias = this.aliases.get(component.id);
    const parent = alias && this.components.get(alias.sourceId);
    if (alias === undefined || parent === undefined || depth === MAX_DEPTH || !isEmpty(component)) return component;
    const known = this.resolved.get(component.id);
    if (known !== undefined) return known;
    const source = { value: this.resolveContent(parent, depth + 1) as JsonObject, pointer: '' };
    const [value] = findValuesAt(source, alias.sourcePath);
    const isKept = value !== undefined && this.hasSpaceFor(value.value);
    const after = isKept
      ? (withValueAt(component as JsonObject, alias.path, value.value) as DesignComponent)
      : component;
    this.resolved.set(component.id, after);
    return after;
  }

  private hasSpaceFor(value: Json): boolean {
    const bytes = estimateJsonBytes(value, this.remaining + 1);
    if (bytes > this.remaining) return false;
    this.remaining -= bytes;
    return true;
  }
}

function isEmpty({ configuration }: DesignComponent): boolean {
  return Object.keys(configuration).every((name) => name === 'metadata');
}

function readPatchedPaths({ selectors }: JsonObject): (Json | undefined)[] {
  const allow = asObject(asObject(Array.isArray(selectors) ? selectors[0] : undefined)['allow']);
  const [from, to] = ['from', 'to'].map((side) => {
    const list = allow[side];
    return asObject(asObject(Array.isArray(list) ? list[0] : undefined)['patch']);
  });
  return [from?.['mutatorRef'], to?.['mutatedRef']].map((paths) => (Array.isArray(paths) ? paths[0] : undefined));
}

function toAlias(
  of: Pick<Alias, 'parentId' | 'sourceId'>,
  own: Json | undefined,
  sources: Json | undefined,
): Alias | undefined {
  const [path, sourcePath] = [parsePath(own), parsePath(sources)];
  if (path === undefined || sourcePath === undefined || path[0] !== 'configuration') return undefined;
  return path.includes(WILDCARD) || sourcePath.includes(WILDCARD) ? undefined : { ...of, path, sourcePath };
}

/** A copy with a value at a path. Items of lists are members by their number, so that the last of many takes no room for those before. */
function withValueAt(whole: Json | undefined, [first, ...rest]: ComponentPath, value: Json): Json {
  if (first === undefined) return value;
  const members = isObject(whole) ? whole : {};
  const own = Object.hasOwn(members, first) ? members[first] : undefined;
  return { ...members, [first]: withValueAt(own, rest, value) };
}
