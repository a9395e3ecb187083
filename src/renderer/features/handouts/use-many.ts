import type { HandoutResult, Holder, PlanView, ToolView } from '@shared/contract'
import { useState } from 'react'
import { useAction, useCall } from '../../ipc'
import { useHandoutsStore } from './handouts-store'
import { toolsOfPlan } from './use-handout'
import { useNames } from './use-names'
import { planOf } from './wish'

/** How many kits can be made in one go (contract). */
const mostAtOnce = 100

const nameOf = ({ kind, name }: Holder): string => `${kind} ${name}`

/** Results with newer ones of the same holders in the place of older ones. */
const joined = (before: readonly HandoutResult[], after: readonly HandoutResult[]): readonly HandoutResult[] => {
  const newer = new Map(after.map((one) => [nameOf(one.holder), one]))
  const kept = before.map((one) => {
    const next = newer.get(nameOf(one.holder))
    newer.delete(nameOf(one.holder))
    return one.state === 'written' ? one : (next ?? one)
  })
  return [...kept, ...newer.values()]
}

interface Ground {
  readonly plans: readonly PlanView[]
  readonly tools: readonly ToolView[]
}

/** The form that hands out keys to several, and how that went; the names and the results outlive the page. */
export function useMany({ plans, tools }: Ground) {
  const { names, name, results, report, add } = useHandoutsStore()
  const [planId, setPlanId] = useState<string>()
  const [picked, setPicked] = useState<readonly string[]>()
  // Nothing can be made for a plan that was handed over: there every holder would share one key.
  const usable = plans.filter(({ origin }) => origin !== undefined)
  const plan = planOf(usable, planId)
  const toolIds = picked ?? toolsOfPlan(tools, plan?.id)
  const reading = useNames(names)
  const holders = reading.holders.slice(0, mostAtOnce)
  const [first] = holders
  const { data: preview } = useCall(
    'handouts.preview',
    { planId: plan?.id ?? '', holder: first ?? { kind: 'person', name: '-' } },
    { enabled: plan !== undefined && first !== undefined, staleTime: 0 },
  )
  const creating = useAction('handouts.createMany', {
    invalidates: ['register', 'account', 'plans', 'audit', 'handouts'],
    onSuccess: (made) => {
      add(made)
      report(joined(results, made))
    },
  })
  const rest = holders.filter(
    (holder) => !results.some((one) => one.state === 'written' && nameOf(one.holder) === nameOf(holder)),
  )
  const canCreate = plan !== undefined && rest.length > 0 && reading.isRead && !creating.isPending
  const input = canCreate
    ? { planId: plan.id, holders: [...rest], toolIds: [...toolIds], lock: { kind: 'passphrase' as const } }
    : undefined
  return {
    ...{ usable, plan, toolIds, names, name, reading, holders, rest, results, creating },
    setPlan: setPlanId,
    setTools: setPicked,
    freeSlots: preview?.freeSlots,
    create: input ? () => creating.mutate(input) : undefined,
    clear: () => {
      name('')
      report([])
      creating.reset()
    },
  }
}

export type Many = ReturnType<typeof useMany>
