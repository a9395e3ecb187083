import { useMemo } from 'react'
import { useCall } from '../../ipc'
import { useConsole } from '../plans/use-console'
import { colourOf, huesOf } from './hues'

/** The colour of each model, the same everywhere in the window: told apart from all other models of the plans there are. */
export function useModelColour(): (modelCode: string) => string {
  const console = useConsole()
  const connectionId = console.kind === 'there' ? console.connection.id : ''
  const local = useCall('plans.list', {})
  // Read where it is known already: a colour is no reason to ask a console.
  const account = useCall('account.plans', { connectionId }, { enabled: false })
  const hues = useMemo(() => {
    const here = local.data?.flatMap(({ models }) => models) ?? []
    const there = account.data?.flatMap(({ models }) => models.map(({ modelCode }) => modelCode)) ?? []
    return huesOf([...here, ...there])
  }, [local.data, account.data])
  return (modelCode) => colourOf(modelCode, hues)
}
