import { type Section, tabOf } from '../resources/section-page'
import { apiKeys } from './api-keys'
import { models } from './models'

export const modelSection: Section = {
  title: (t) => t('models:title'),
  state: (t) => t('models:state'),
  label: (t) => t('models:tabs'),
  tabs: [tabOf(models), tabOf(apiKeys)],
}
