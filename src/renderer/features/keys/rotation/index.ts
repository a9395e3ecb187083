export { RotationList } from './rotation-list'
export {
  allStepIds,
  findFailure,
  findProgress,
  getStepTitle,
  isEnded,
  isHandoverOpen,
  listFailedTools,
  needsUserAction,
  useRotationActions,
  useRotations,
} from './rotations'
