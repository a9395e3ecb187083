import { findModel, type Model } from '../../catalogue/models'

/** What catalogue and console tell of a model besides its allowances; a model that left the catalogue is told as a shared chat model. */
export function modelFacts(modelCode: string): Pick<Model, 'hostingMode' | 'enabledTypes'> {
  const { hostingMode = 'Shared', enabledTypes = ['chat'] } = findModel(modelCode) ?? {}
  return { hostingMode, enabledTypes }
}
