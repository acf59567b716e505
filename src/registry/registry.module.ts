import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DocumentReader } from '../formats/documents/document-reader.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { KubernetesModule } from '../kubernetes/kubernetes.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ComponentsController, SchemasController } from './components.controller.js';
import { ComponentKindResolver } from './components.resolver.js';
import { ComponentsStore } from './components/components.store.js';
import { ClusterGenerationService } from './generation/cluster-generation.service.js';
import { GenerationService } from './generation/generation.service.js';
import { ModelsController } from './models.controller.js';
import { ModelsStore } from './models/models.store.js';
import { PackageLoader } from './packages/package-loader.js';
import { RegistrantsStore } from './registrants/registrants.store.js';
import { ComponentRegistrationService } from './registration/component-registration.service.js';
import { ConnectionDefinitionsService } from './registration/connection-definitions.service.js';
import { DefinitionRegistrationController } from './definition-registration.controller.js';
import { RegisteredPackagesStore } from './registration/registered-packages.store.js';
import { RegistrationJobsService } from './registration-jobs.service.js';
import { DefinitionRegistrar } from './registration/definition-registrar.service.js';
import { RegistrationStore } from './registration/registration.store.js';
import { PackageRegistrationService } from './registration/package-registration.service.js';
import { RegistryListsService } from './registry-lists.service.js';
import { RegistryController } from './registry.controller.js';
import { RegistryExportService } from './registry-export.service.js';
import { RegistryPresenter } from './registry.presenter.js';
import { RegistryRevisionStore } from './entities/registry-revision.store.js';
import { RegistryService } from './registry.service.js';
import { RegistryResolver } from './registry.resolver.js';
import { RegistrySummaryStore } from './registry-summary.store.js';
import { RegistrySeedService } from './seed/registry-seed.service.js';
import { ValidationService } from './validation/validation.service.js';
import { RegistrySummaryFeedService } from './registry-summary-feed.service.js';
import { RelationshipEvaluationService } from './relationships/relationship-evaluation.service.js';
import { RelationshipsController } from './relationships.controller.js';
import { RelationshipsStore } from './relationships/relationships.store.js';

/** The registry: models, their components, and relationships between components. One registry for the installation. */
@Module({
  imports: [OrganizationsModule, ConnectionsModule, KubernetesModule],
  controllers: [
    DefinitionRegistrationController,
    RegistryController,
    ModelsController,
    ComponentsController,
    RelationshipsController,
    SchemasController,
  ],
  providers: [
    RegistrantsStore,
    ModelsStore,
    ComponentsStore,
    RelationshipsStore,
    RegistryRevisionStore,
    RegistryService,
    RegistryPresenter,
    RegistryListsService,
    RegistrySummaryStore,
    RegistrySummaryFeedService,
    RegistryResolver,
    ComponentKindResolver,
    RegistryExportService,
    RegistrationStore,
    DefinitionRegistrar,
    PackageRegistrationService,
    RegisteredPackagesStore,
    RegistrationJobsService,
    ComponentRegistrationService,
    ConnectionDefinitionsService,
    GenerationService,
    ClusterGenerationService,
    RelationshipEvaluationService,
    ValidationService,
    RegistrySeedService,
    {
      provide: PackageLoader,
      inject: [WorkerPool, DocumentReader],
      useFactory: (pool: WorkerPool, { limits }: DocumentReader) => new PackageLoader(pool, limits),
    },
  ],
  exports: [ComponentsStore, RelationshipEvaluationService, ValidationService],
})
export class RegistryModule {}
