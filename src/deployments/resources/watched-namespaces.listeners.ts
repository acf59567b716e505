import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WatchedNamespaces } from '../../kubernetes/resources/watch/watched-namespaces.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';

/** Where something is deployed is watched, also by credentials that may not list objects in all namespaces. */
@Injectable()
export class WatchedNamespacesListeners implements OnModuleInit {
  constructor(
    private readonly namespaces: WatchedNamespaces,
    private readonly deployed: DeployedDesignsStore,
  ) {}

  onModuleInit(): void {
    this.namespaces.register((connectionId, limit) => this.deployed.listNamespaces(connectionId, limit));
  }
}
