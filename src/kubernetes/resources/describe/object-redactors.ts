import { Injectable } from '@nestjs/common';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';

/** Removes from objects what must not be shown of them. @param about the object that all of them concern */
export type ObjectRedactor = (
  connectionId: string,
  about: KubernetesObject,
  objects: KubernetesObject[],
) => Promise<KubernetesObject[]>;

/** Later features register what they hide of objects that come from them. */
@Injectable()
export class ObjectRedactors {
  private readonly redactors: ObjectRedactor[] = [];

  register(redactor: ObjectRedactor): void {
    this.redactors.push(redactor);
  }

  /** An object of a cluster and its events, redacted. An error of a redactor is thrown, so that nothing is shown. */
  async redact(
    connectionId: string,
    object: KubernetesObject,
    events: KubernetesObject[],
  ): Promise<{ object: KubernetesObject; events: KubernetesObject[] }> {
    let shown = { object, events };
    for (const redactor of this.redactors) {
      const [first = object, ...rest] = await redactor(connectionId, object, [shown.object, ...shown.events]);
      shown = { object: first, events: rest };
    }
    return shown;
  }
}
