import { Injectable, Logger } from '@nestjs/common';

/** A change of an object that this server has applied. */
export interface ResourceChange {
  connectionId: string;
  organizationId: string;
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  designId: string;
  environmentId: string | null;
  /** Whether fields that this server had applied were taken over by another field manager, or the object was deleted; else any other change of it. */
  applied: boolean;
}

export type ResourceChangeListener = (changes: ResourceChange[]) => Promise<void>;

/** Publishes to later features what the watches see of objects that this server has applied. A listener that fails is logged, and not called again for it. */
@Injectable()
export class ResourceChanges {
  private readonly logger = new Logger(ResourceChanges.name);
  private readonly listeners: ResourceChangeListener[] = [];

  register(listener: ResourceChangeListener): void {
    this.listeners.push(listener);
  }

  /** Called once the changes are committed, on the replica that watches the cluster. */
  async publish(changes: ResourceChange[]): Promise<void> {
    if (changes.length === 0) return;
    for (const listener of this.listeners)
      await listener(changes).catch((error: unknown) =>
        this.logger.warn(error, 'a listener failed to take up changes of a cluster'),
      );
  }
}
