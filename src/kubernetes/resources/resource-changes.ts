import { Injectable, Logger } from '@nestjs/common';

/** The owner of an object that this server had applied, and that was deleted or changed in an applied field. */
export interface ResourceChange {
  connectionId: string;
  organizationId: string;
  designId: string;
  environmentId: string | null;
}

export type ResourceChangeListener = (changes: ResourceChange[]) => Promise<void>;

/** Publishes changes of applied objects to later features. An error of a listener is logged, without a retry. */
@Injectable()
export class ResourceChanges {
  private readonly logger = new Logger(ResourceChanges.name);
  private readonly listeners: ResourceChangeListener[] = [];

  register(listener: ResourceChangeListener): void {
    this.listeners.push(listener);
  }

  /** Called after the changes were committed, on the replica that watches the cluster. */
  async publish(changes: ResourceChange[]): Promise<void> {
    if (changes.length === 0) return;
    for (const listener of this.listeners)
      await listener(changes).catch((error: unknown) =>
        this.logger.warn(error, 'a listener of cluster changes failed'),
      );
  }
}
