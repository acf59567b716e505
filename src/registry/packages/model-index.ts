import { type ModelDefinition } from '../../formats/definitions/definitions.js';
import { type ModelReference } from './model-reference.js';

/** The models that a package has files of, and the lookup of the one that a component or a relationship references. */
export class ModelIndex {
  readonly models: ModelDefinition[] = [];
  private readonly byFile = new Map<string, ModelDefinition[]>();
  private readonly byFolder = new Map<string, ModelDefinition[]>();
  private readonly byName = new Map<string, ModelDefinition[]>();
  private readonly byVersion = new Map<string, ModelDefinition[]>();

  add(model: ModelDefinition, path: string): void {
    this.models.push(model);
    append(this.byFile, path, model);
    append(this.byFolder, folderOf(path), model);
    append(this.byName, model.name, model);
    append(this.byVersion, versionKey(model.name, model.version), model);
  }

  /**
   * The model that a definition at `path` belongs to. Name and version decide; among several of both the registrant, then the nearest. A definition that names no model
   * belongs to the nearest, and one that names a model without its version to the nearest or only one of that name.
   */
  resolve({ name, version, doubtfulVersion, hostname }: ModelReference, path: string): ModelDefinition | undefined {
    const nearest = this.findNearest(path);
    if (name === '') return nearest;
    if (version === '') {
      if (nearest?.name === name) return nearest;
      return onlyItem(this.byName.get(name)) ?? onlyItem(this.byVersion.get(versionKey(name, doubtfulVersion)));
    }
    const candidates = this.byVersion.get(versionKey(name, version)) ?? [];
    return (
      candidates.find(({ registrant }) => registrant.hostname === hostname) ??
      candidates.find((model) => model === nearest) ??
      candidates[0]
    );
  }

  /** The model of the nearest parent folder that has one. Of several in one folder, the one in the same file. */
  private findNearest(path: string): ModelDefinition | undefined {
    for (let folder = folderOf(path); ; folder = folderOf(folder)) {
      const known = this.byFolder.get(folder);
      if (known) return onlyItem(known) ?? onlyItem(this.byFile.get(path));
      if (folder === '') return undefined;
    }
  }
}

function append(models: Map<string, ModelDefinition[]>, key: string, model: ModelDefinition): void {
  const known = models.get(key);
  if (known) known.push(model);
  else models.set(key, [model]);
}

function versionKey(name: string, version: string): string {
  return `${name}\0${version}`;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function onlyItem<Item>(items: readonly Item[] | undefined): Item | undefined {
  return items?.length === 1 ? items[0] : undefined;
}
