export { RotationList } from './rotation-list'
export {
  allStepIds,
  findFailure,
  findProgress,
  isEnded,
  isHandoverOpen,
  listFailedTools,
  needsUserAction,
  useRotationActions,
  useRotations,
  useStepTexts,
} from './rotations'
