import { Injectable, Logger } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { TimeSlicer } from '../core/time-slicer.js';
import { DesignContentsStore } from '../designs/contents/design-contents.store.js';
import { DesignsStore } from '../designs/designs.store.js';
import { SealedValuesService } from '../designs/sealed-values.service.js';
import { MASKED } from '../formats/design-file/secret-values.js';
import { ClusterError } from '../kubernetes/clusters/cluster-error.js';
import type { KubernetesObject } from '../kubernetes/clusters/kubernetes-object.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import { DesignSecrets } from './plan/design-secrets.js';

const SYSTEM = Actor.system('the secrets of deployed designs');

/** Where an object of a design is. */
export interface RunningPlace {
  designId: string | null;
  connectionId: string;
}

/** What is said about an object at a place. */
export interface PlacedMessage extends RunningPlace {
  message: string | null | undefined;
}

export type Hiding = Pick<DesignSecrets, 'hideInMessage' | 'hideInObject'>;

/** Maximum number of versions whose secrets are kept decrypted, and about their memory in bytes. */
const MAX_KEPT = 100;
const MAX_KEPT_BYTES = 50_000_000;
/** Maximum number of versions that are decrypted for one response; of further ones nothing is shown. */
const MAX_READ = 50;
/** Shows nothing but names. */
export const HIDE_ALL: Hiding = {
  hideInMessage: () => MASKED,
  hideInObject: ({ apiVersion, kind, metadata: { labels: _, annotations: __, ...metadata } }) => ({
    ...{ apiVersion, kind, metadata },
  }),
};

/** Reads the secret values of designs, to hide them in what clusters say: they repeat them in errors, conditions and messages. */
@Injectable()
export class DesignSecretsService {
  /** By design and version, the last used at the end. */
  private readonly kept = new Map<string, KeptSecrets>();
  private readonly logger = new Logger(DesignSecretsService.name);

  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly designs: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly sealed: SealedValuesService,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * The secrets of a version of a design, also those that it has placeholders for.
   * @param others objects whose values are hidden, too
   */
  async read(designId: string, version: number, others: object[] = []): Promise<DesignSecrets> {
    const design = await this.designs.find(SYSTEM, designId);
    const resources = design ? await this.contents.readResources(design, version) : [];
    const kept = Object.entries((await this.sealed.open(designId))?.secrets ?? {});
    const sealed = kept.map(([name, data]) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data }));
    return DesignSecrets.of([...resources.map(({ object }) => object), ...sealed, ...others]);
  }

  /** As `read`, with Secrets as they are on the cluster; kept for the next call until one of them changes. */
  readWithLive(designId: string, version: number, live: KubernetesObject[]): Promise<DesignSecrets> {
    const versions = live.map(({ metadata }) => `${metadata.uid}:${metadata.resourceVersion}`);
    return this.keep([designId, version, ...versions].join(' '), () => this.read(designId, version, live));
  }

  /** An error of a cluster that was sent objects of a design, without the secret values of these and of what is deployed there. */
  async hideInError(error: unknown, place: RunningPlace, objects: object[]): Promise<unknown> {
    if (!(error instanceof ClusterError)) return error;
    const [deployed] = await this.findAll([place]);
    const message = (await DesignSecrets.of(objects)).hideInMessage(error.message);
    return error.withMessage(deployed?.hideInMessage(message) ?? message);
  }

  /** Messages without secret values, in their order. */
  async hideInMessages(said: readonly PlacedMessage[]): Promise<(string | null)[]> {
    const hidings = await this.findAll(said.map((one) => (one.message ? one : { ...one, designId: null })));
    const shown = new Map<Hiding, Map<string, string>>();
    const turns = new TimeSlicer();
    const messages: (string | null)[] = [];
    for (const [index, { message }] of said.entries()) {
      const hiding = hidings[index];
      if (message && hiding) {
        const known = shown.get(hiding) ?? new Map<string, string>();
        shown.set(hiding, known);
        if (!known.has(message)) known.set(message, hiding.hideInMessage(message));
        messages.push(known.get(message) ?? null);
        await turns.yieldToEventLoop();
      } else messages.push(message ?? null);
    }
    return messages;
  }

  /** What to hide of objects at places, in their order: the same for places with the same versions. */
  async findAll(places: readonly RunningPlace[]): Promise<Hiding[]> {
    const designs = [...new Set(places.flatMap(({ designId }) => designId ?? []))];
    const versions = new Map<string, Set<string>>(places.map((place) => [keyOf(place), new Set()]));
    const read = new Map<string, Hiding>();
    if (designs.length > 0)
      await this.unit.runAsSystem('the secrets of deployed designs', async () => {
        let reads = 0;
        for (const { designVersion, earlierVersions, ...place } of await this.deployed.findByDesigns(designs))
          for (const version of [designVersion, ...earlierVersions]) {
            const key = `${place.designId} ${version}`;
            versions.get(keyOf(place))?.add(key);
            if (!versions.has(keyOf(place)) || read.has(key)) continue;
            const isRead = this.kept.has(key) || ++reads <= MAX_READ;
            read.set(key, isRead ? await this.readOrHideAll(key, place.designId, version) : HIDE_ALL);
          }
      });
    const hidings = new Map<string, Hiding>();
    return places.map((place) => {
      const keys = [...(versions.get(keyOf(place)) ?? [])].sort();
      const hiding = hidings.get(keys.join()) ?? hideEach(keys.flatMap((key) => read.get(key) ?? []));
      hidings.set(keys.join(), hiding);
      return hiding;
    });
  }

  /** Of a version that cannot be read, such as one sealed by a key that is lost, nothing is shown. */
  private async readOrHideAll(key: string, designId: string, version: number): Promise<Hiding> {
    try {
      return await this.keep(key, () => this.read(designId, version));
    } catch (error) {
      if (isDatabaseOutage(error)) throw error;
      this.logger.warn(
        error,
        `version ${version} of design ${designId} cannot be read, so nothing is shown of its objects`,
      );
      return HIDE_ALL;
    }
  }

  private keep(key: string, read: () => Promise<DesignSecrets>): Promise<DesignSecrets> {
    const kept = this.kept.get(key) ?? { secrets: read(), size: 0 };
    this.kept.delete(key);
    this.kept.set(key, kept);
    this.dropOldest();
    kept.secrets.then(
      ({ size }) => {
        kept.size = size;
        this.dropOldest();
      },
      () => this.kept.delete(key),
    );
    return kept.secrets;
  }

  private dropOldest(): void {
    let total = [...this.kept.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, { size }] of this.kept) {
      if (this.kept.size <= MAX_KEPT && total <= MAX_KEPT_BYTES) return;
      this.kept.delete(key);
      total -= size;
    }
  }
}

interface KeptSecrets {
  secrets: Promise<DesignSecrets>;
  /** In bytes, once they are read. */
  size: number;
}

const keyOf = ({ designId, connectionId }: RunningPlace): string => `${designId} ${connectionId}`;

/** A design may be deployed through a connection into several environments, and have objects of several versions there. */
const hideEach = (all: Hiding[]): Hiding => ({
  hideInMessage: (message) => all.reduce((left, one) => one.hideInMessage(left), message),
  hideInObject: (object) => all.reduce((left, one) => one.hideInObject(left), object),
});
