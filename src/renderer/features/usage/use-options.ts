import type { UsageSplit } from '@shared/contract'
import { useCall } from '../../ipc'
import type { SelectOption } from '../../ui/select'
import type { Usage } from './use-usage'

const byLabel = (a: SelectOption, b: SelectOption): number => a.label.localeCompare(b.label)

/** What the source counted in this span, whatever else is filtered: ids with their names. */
function useCounted({ filter, scope, cannotAsk }: Usage, by: UsageSplit, isAsked: boolean): readonly SelectOption[] {
  const { scope: of, from, to, planId, connectionId } = filter
  const whole = {
    scope: of,
    from,
    to,
    ...(planId === undefined ? {} : { planId }),
    ...(connectionId === undefined ? {} : { connectionId }),
  }
  const isKnown = scope !== 'console' || by === 'model'
  const { data = [] } = useCall(
    'usage.shares',
    { filter: whole, by },
    { enabled: isAsked && isKnown && cannotAsk === undefined, placeholderData: (previous) => previous },
  )
  return data.filter(({ id }) => id !== '').map(({ id, name }) => ({ value: id, label: name ?? id }))
}

/** The models of the plan, or of all plans, and those that were counted. */
export function useModelOptions(usage: Usage): readonly SelectOption[] {
  const counted = useCounted(usage, 'model', true)
  const { plans, planId } = usage
  const codes = plans.filter(({ id }) => planId === undefined || id === planId).flatMap(({ models }) => models)
  const known = new Map(codes.map((code) => [code, { value: code, label: code }]))
  for (const option of counted) known.set(option.value, option)
  return [...known.values()].sort(byLabel)
}

/** The tools that sent something. */
export const useToolOptions = (usage: Usage): readonly SelectOption[] =>
  [...useCounted(usage, 'tool', usage.scope !== 'console')].sort(byLabel)

/** The keys: the account's of the plan with the console, otherwise those that sent something. */
export function useKeyOptions(usage: Usage): readonly SelectOption[] {
  const { scope, connectionId, planId } = usage
  const isConsole = scope === 'console'
  const counted = useCounted(usage, 'key', !isConsole)
  const { data = [] } = useCall(
    'account.keys',
    { connectionId: connectionId ?? '', planId: planId ?? '' },
    { enabled: isConsole && connectionId !== undefined && planId !== undefined },
  )
  const keys = isConsole ? data.map(({ keyId, name }) => ({ value: keyId, label: name })) : counted
  return [...keys].sort(byLabel)
}
