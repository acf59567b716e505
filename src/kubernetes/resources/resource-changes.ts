import { Injectable, Logger } from '@nestjs/common';

/** Whose object it was of which a field that this server had applied was changed, by anyone, or which was deleted. */
export interface ResourceChange {
  connectionId: string;
  organizationId: string;
  designId: string;
  environmentId: string | null;
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
