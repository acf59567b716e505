import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { DesignContentsStore } from '../designs/contents/design-contents.store.js';
import { DesignsStore } from '../designs/designs.store.js';
import { MASKED } from '../formats/design-file/secret-values.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import { DesignSecrets } from './plan/design-secrets.js';

const SYSTEM = Actor.system('the secrets of deployed designs');

/** Where an object of a design is. */
export interface RunningPlace {
  designId: string | null;
  connectionId: string;
}

export type Hiding = Pick<DesignSecrets, 'hideIn' | 'hideInMessage'>;

/** Maximum number of designs whose secrets are kept decrypted. */
const MAX_KEPT = 100;
/** Maximum number of designs that are read for one response; of further ones nothing is shown. */
const MAX_READ = 50;
const HIDE_ALL: Hiding = { hideIn: () => MASKED, hideInMessage: () => MASKED };

/** Reads the secret values of designs, to hide them in what clusters say: they repeat them in errors, conditions and messages. */
@Injectable()
export class DesignSecretsService {
  /** By design and version, the last used at the end. */
  private readonly kept = new Map<string, Promise<DesignSecrets>>();

  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly designs: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * The secrets of a version of a design.
   * @param others objects whose values are hidden, too
   */
  async read(designId: string, version: number, others: object[] = []): Promise<DesignSecrets> {
    const design = await this.designs.find(SYSTEM, designId);
    const resources = design ? await this.contents.readResources(design, version) : [];
    return new DesignSecrets([...resources.map(({ object }) => object), ...others]);
  }

  /** What to hide of objects at places, in their order. */
  async findAll(places: readonly RunningPlace[]): Promise<Hiding[]> {
    const designs = [...new Set(places.flatMap(({ designId }) => designId ?? []))];
    if (designs.length === 0) return places.map(() => hideEach([]));
    return this.unit.runAsSystem('the secrets of deployed designs', async () => {
      const found = new Map<string, Hiding[]>(places.map((place) => [keyOf(place), []]));
      let reads = 0;
      for (const { designVersion, ...place } of await this.deployed.findByDesigns(designs))
        if (found.has(keyOf(place)))
          found
            .get(keyOf(place))
            ?.push(++reads > MAX_READ ? HIDE_ALL : await this.readOnce(place.designId, designVersion));
      return places.map((place) => hideEach(found.get(keyOf(place)) ?? []));
    });
  }

  private readOnce(designId: string, version: number): Promise<DesignSecrets> {
    const key = `${designId} ${version}`;
    const secrets = this.kept.get(key) ?? this.read(designId, version);
    this.kept.delete(key);
    this.kept.set(key, secrets);
    secrets.catch(() => this.kept.delete(key));
    for (const oldest of this.kept.keys()) if (this.kept.size > MAX_KEPT) this.kept.delete(oldest);
    return secrets;
  }
}

const keyOf = ({ designId, connectionId }: RunningPlace): string => `${designId} ${connectionId}`;

/** A design may be deployed through a connection into several environments. */
const hideEach = (all: Hiding[]): Hiding => ({
  hideIn: (value) => all.reduce((left, one) => one.hideIn(left), value),
  hideInMessage: (message) => all.reduce((left, one) => one.hideInMessage(left), message),
});
