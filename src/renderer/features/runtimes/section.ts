import { type Section, tabOf } from '../resources/section-page'
import { checkPath } from './paths'
import { runtimes } from './runtimes'

/** The place of runtimes: their list, and the check of a container that is to become one. */
export const runtimesSection: Section = {
  title: (t) => t('runtimes:title'),
  state: (t) => t('runtimes:state'),
  label: (t) => t('runtimes:sections'),
  tabs: [tabOf(runtimes), { to: checkPath, label: (t) => t('runtimes:check.tab') }],
}
