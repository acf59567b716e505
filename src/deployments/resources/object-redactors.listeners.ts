import { Injectable, type OnModuleInit } from '@nestjs/common';
import { validate } from 'uuid';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { parseOwnerLabels } from '../../kubernetes/clusters/owner-labels.js';
import { ClusterResourcesService } from '../../kubernetes/resources/cluster-resources.service.js';
import { ObjectRedactors } from '../../kubernetes/resources/describe/object-redactors.js';
import { DesignSecretsService } from '../design-secrets.service.js';

/** Hides the values of a design's Secrets in what clusters say of its objects. */
@Injectable()
export class ObjectRedactorsListeners implements OnModuleInit {
  constructor(
    private readonly redactors: ObjectRedactors,
    private readonly resources: ClusterResourcesService,
    private readonly secrets: DesignSecretsService,
    private readonly unit: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.redactors.register(async (connectionId, about, objects) => {
      const designs = await this.findDesigns(connectionId, about);
      const hidings = await this.secrets.findAll(designs.map((designId) => ({ designId, connectionId })));
      return objects.map((object) => hidings.reduce((left, hiding) => hiding.hideInObject(left), object));
    });
  }

  /** The design of its labels, and that of the watch, which knows it of what controllers have created. */
  private async findDesigns(connectionId: string, object: KubernetesObject): Promise<string[]> {
    const { apiVersion: api_version, kind, metadata } = object;
    const name = { connection_id: connectionId, api_version, kind, name: metadata.name };
    const stored = await this.unit.runAsSystem('the design of an object', () =>
      this.resources.findByName([{ ...name, namespace: metadata.namespace ?? null }]),
    );
    const labelled = parseOwnerLabels(object)?.design;
    return [...new Set([labelled, stored.get(0)?.designId].filter((id): id is string => validate(id)))];
  }
}
