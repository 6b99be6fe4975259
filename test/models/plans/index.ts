// Every model, with its bounds and mutants.
import { DELIVERIES } from './deliveries.js'
import { INGEST } from './ingest.js'
import { REFOLD } from './refold.js'
import { TELLING } from './telling.js'
import { SEATS } from './seats.js'
import type { ModelPlan } from '../model-plan.js'

export const PLANS: readonly ModelPlan[] = [DELIVERIES, INGEST, REFOLD, TELLING, SEATS]
