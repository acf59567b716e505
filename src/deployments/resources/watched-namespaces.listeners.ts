import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WatchedNamespaces } from '../../kubernetes/resources/watch/watched-namespaces.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';

/** Provides the namespaces to watch with credentials that may not list objects in all namespaces. */
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
