import { type Section, tabOf } from '../resources/section-page'
import { repositories } from './repositories'
import { robotAccounts } from './robot-accounts'

/** The tab with lines for a terminal. */
export const dockerPath = '/registry/docker'

export const registrySection: Section = {
  title: (t) => t('registry:title'),
  state: (t) => t('registry:state'),
  label: (t) => t('registry:tabs'),
  tabs: [tabOf(repositories), tabOf(robotAccounts), { to: dockerPath, label: (t) => t('registry:docker.tab') }],
}
