import { Module } from '@nestjs/common';
import { MonitoringModule } from '../monitoring/monitoring.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ChartsController } from './charts/charts.controller.js';
import { ComparisonsService } from './comparison/comparisons.service.js';
import { PerformanceFeedService } from './live/performance-feed.service.js';
import { ProfilesResolver } from './live/profiles.resolver.js';
import { ResultsResolver } from './live/results.resolver.js';
import { LoadGeneratorsController } from './load/load-generators.controller.js';
import { LoadGeneratorsService } from './load/load-generators.service.js';
import { LoadLimits } from './load/load-limits.js';
import { ProfileContentsService } from './profiles/profile-contents.service.js';
import { ProfileSettingsService } from './profiles/profile-settings.service.js';
import { PerformanceProfilesController } from './profiles/performance-profiles.controller.js';
import { ProfilesService } from './profiles/profiles.service.js';
import { ProfilesStore } from './profiles/profiles.store.js';
import { RunCompletionService } from './runs/run-completion.service.js';
import { RunJobsListeners } from './runs/run-jobs.listeners.js';
import { RunPlansService } from './runs/run-plans.service.js';
import { RunRequestsService } from './runs/run-requests.service.js';
import { RunRunner } from './runs/run.runner.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsListeners } from './runs/runs.listeners.js';
import { RunsService } from './runs/runs.service.js';
import { RunsStore } from './runs/runs.store.js';
import { ScheduledRunsService } from './runs/scheduled-runs.service.js';
import { ServerMetricsService } from './runs/server-metrics.service.js';

@Module({
  imports: [OrganizationsModule, WorkspacesModule, MonitoringModule],
  controllers: [PerformanceProfilesController, RunsController, ChartsController, LoadGeneratorsController],
  providers: [
    LoadLimits,
    LoadGeneratorsService,
    ProfilesStore,
    ProfileContentsService,
    ProfileSettingsService,
    ProfilesService,
    RunsStore,
    RunPlansService,
    RunRequestsService,
    RunsService,
    RunCompletionService,
    ScheduledRunsService,
    ServerMetricsService,
    RunRunner,
    RunJobsListeners,
    RunsListeners,
    ComparisonsService,
    PerformanceFeedService,
    ProfilesResolver,
    ResultsResolver,
  ],
})
export class PerformanceModule {}
