import type { PlanView, RelayRoute, RelayTool } from '@shared/contract'
import i18next from 'i18next'
import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useAction } from '../../ipc'
import { Dialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { Select, SelectField } from '../../ui/select'
import { Hint } from '../../ui/text'
import { closeWithToast } from '../../ui/toast'
import { isCurrentKey } from '../connections/account'
import { chooseKey, findWorkingKey, KeyField, keyChoice, PlanField } from '../tools'
import { relayRouteKey } from './use-relay'

const t = i18next.getFixedT(null, 'relay')

/** Upstreams of a tool, by default the first plan with a key. Changes apply to the next request. */
export function UpstreamDialog(props: {
  readonly tool: RelayTool
  readonly plans: readonly PlanView[]
  readonly onClose: () => void
}) {
  const { tool, plans, onClose } = props
  const { toolId, toolName } = tool
  const [savedWay, ...savedFailover] = tool.upstreams
  const usablePlans = plans.filter(({ keys }) => keys.length > 0)
  const [planId, setPlanId] = useState(savedWay?.planId)
  const [keyId, setKeyId] = useState(() => {
    const currentPlan = plans.find(({ id }) => id === savedWay?.planId)
    return currentPlan && findWorkingKey(currentPlan, savedWay?.keyId)
  })
  const [allFailover, setFailover] = useState<readonly RelayRoute[]>(() =>
    savedFailover.map(({ planId: id, keyId: key }) => ({ planId: id, ...(key === undefined ? {} : { keyId: key }) })),
  )
  const [overload, setOverload] = useState(tool.overload)
  const plan = usablePlans.find(({ id }) => id === planId) ?? usablePlans[0]
  const way = plan && { planId: plan.id, ...keyChoice(plan, chooseKey(plan, keyId)) }
  // Omit the selected upstream from the failover list.
  const failover = way ? allFailover.filter((upstream) => !isSameUpstream(upstream, way, plans)) : allFailover
  const saveRelayRoute = useAction('relay.setWay', {
    invalidates: ['relay', 'tools'],
    onSuccess: () => closeWithToast(onClose, t('way.saved', { tool: toolName, plan: plan?.name })),
  })
  const save = (): void => {
    if (way && !saveRelayRoute.isPending)
      saveRelayRoute.mutate({ toolId, way, failover: [...failover], ...(overload && { overload }) })
  }
  return (
    <Dialog
      mutation={saveRelayRoute}
      context={{ plan: plan?.name }}
      onClose={onClose}
      title={t('way.title', { tool: toolName })}
      description={t('way.text')}
      action={{ label: t('way.save'), onSubmit: save, disabled: !way }}
    >
      {plan && way ? (
        <>
          <div className="grid grid-cols-[repeat(auto-fit,minmax(180px,1fr))] gap-x-4 gap-y-3">
            <PlanField
              plans={usablePlans}
              value={plan.id}
              onChange={(id) => {
                setPlanId(id)
                setKeyId(undefined)
              }}
            />
            <KeyField plan={plan} value={way.keyId ?? chooseKey(plan, undefined)} onChange={setKeyId} />
          </div>
          <FailoverList plans={plans} first={way} ways={failover} onChange={setFailover} />
        </>
      ) : (
        <Hint>{t('way.noPlans')}</Hint>
      )}
      {!way || failover.length === 0 ? null : (
        <SelectField
          label={t('way.overload.label')}
          hint={t(`way.overload.hints.${overload ?? 'off'}`)}
          value={overload ?? 'off'}
          onValueChange={(value) => setOverload(value === 'off' ? undefined : value)}
          options={(['off', 'rejected', 'any'] as const).map((value) => ({
            value,
            label: t(`way.overload.options.${value}`),
          }))}
        />
      )}
    </Dialog>
  )
}

const moves = [
  { name: 'up', icon: ArrowUp, step: -1 },
  { name: 'down', icon: ArrowDown, step: 1 },
] as const

/** Maximum number of failover upstreams. */
const maxUpstreams = 10

/** Names of an upstream's plan and key, and a text with both. Names are undefined if the plan or key was removed. */
function getUpstreamNames(plans: readonly PlanView[], { planId, keyId }: RelayRoute) {
  const plan = plans.find(({ id }) => id === planId)
  const key = plan?.keys.find(({ id }) => id === (keyId ?? plan.defaultKeyId))?.name
  const text = plan && key !== undefined ? t('way.named', { plan: plan.name, key }) : t('way.gone')
  return { plan: plan?.name, key, text }
}

function UpstreamRow(props: {
  readonly way: RelayRoute
  readonly plans: readonly PlanView[]
  readonly at: number
  readonly count: number
  readonly onMove: (step: -1 | 1) => void
  readonly onRemove: () => void
}) {
  const { way, plans, at, count, onMove, onRemove } = props
  const { plan, key, text } = getUpstreamNames(plans, way)
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    onMove(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    // Handles key events of the buttons inside, which bubble up.
    <li
      className="flex min-h-9 items-center gap-2 border-t py-0.5 pr-1.5 pl-3 first:border-t-0"
      onKeyDown={handleKeyDown}
      data-way={relayRouteKey(way)}
    >
      <span className="w-4 text-faint tabular-nums" aria-hidden="true">
        {at + 1}
      </span>
      <span className="flex-1 truncate">
        {plan ?? null}{' '}
        <span className={key === undefined ? 'text-danger text-sm' : 'text-muted text-sm'}>{key ?? t('way.gone')}</span>
      </span>
      {moves.map(({ name, icon, step }) => {
        const isAtEnd = at + step < 0 || at + step >= count
        return (
          <IconButton
            key={name}
            size="sm"
            icon={icon}
            label={t(`way.${name}`, { way: text })}
            aria-disabled={isAtEnd || undefined}
            className={isAtEnd ? 'opacity-40' : undefined}
            onClick={() => onMove(step)}
          />
        )
      })}
      <IconButton size="sm" icon={X} label={t('way.remove', { way: text })} onClick={onRemove} />
    </li>
  )
}

/** Failover upstreams in order. Alt with an arrow key moves an entry. */
function FailoverList(props: {
  readonly plans: readonly PlanView[]
  /** The tool's main upstream, which the failover list must not contain. */
  readonly first: RelayRoute
  readonly ways: readonly RelayRoute[]
  readonly onChange: (ways: readonly RelayRoute[]) => void
}) {
  const { plans, first, ways, onChange } = props
  const availableUpstreams = listFreeUpstreams(plans, [first, ...ways])
  const list = useRef<HTMLOListElement>(null)
  const [announcement, setAnnouncement] = useState('')
  const moveUpstream = (index: number, step: -1 | 1): void => {
    const upstream = ways[index]
    const target = index + step
    if (!upstream || target < 0 || target >= ways.length) return
    onChange(ways.toSpliced(index, 1).toSpliced(target, 0, upstream))
    setAnnouncement(t('way.movedTo', { way: getUpstreamNames(plans, upstream).text, place: target + 1 }))
  }
  const remove = (upstream: RelayRoute): void => {
    onChange(ways.filter((otherUpstream) => otherUpstream !== upstream))
    setAnnouncement(t('way.removed', { way: getUpstreamNames(plans, upstream).text }))
    // The button that had the focus was removed with its row, so focus the list.
    list.current?.focus()
  }
  const add = (upstream: RelayRoute): void => {
    onChange([...ways, upstream])
    setAnnouncement(t('way.added', { way: getUpstreamNames(plans, upstream).text, place: ways.length + 1 }))
  }
  return (
    <div className="flex flex-col gap-2">
      <div>
        <p className="font-medium">{t('way.failover')}</p>
        <Hint>{t('way.failoverHint')}</Hint>
      </div>
      <ol
        ref={list}
        className={ways.length === 0 ? undefined : 'rounded-md border'}
        aria-label={t('way.list')}
        tabIndex={-1}
      >
        {ways.length === 0 ? <li className="text-muted text-sm">{t('way.none')}</li> : null}
        {ways.map((upstream, index) => (
          <UpstreamRow
            key={relayRouteKey(upstream)}
            way={upstream}
            plans={plans}
            at={index}
            count={ways.length}
            onMove={(step) => moveUpstream(index, step)}
            onRemove={() => remove(upstream)}
          />
        ))}
      </ol>
      {ways.length >= maxUpstreams ? (
        <Hint>{t('way.isFull')}</Hint>
      ) : availableUpstreams.length === 0 ? null : (
        <Select
          // The key changes after each addition, which resets the select to its placeholder.
          key={ways.length}
          aria-label={t('way.addLabel')}
          placeholder={t('way.add')}
          value={undefined}
          onValueChange={(value) => {
            const upstream = availableUpstreams.find((candidate) => relayRouteKey(candidate) === value)
            if (upstream) add(upstream)
          }}
          options={availableUpstreams.map((upstream) => {
            const { plan = '', key } = getUpstreamNames(plans, upstream)
            return { value: relayRouteKey(upstream), label: plan, hint: key }
          })}
        />
      )}
      <p className="sr-only" role="status">
        {announcement}
      </p>
    </div>
  )
}

/** Whether two upstreams are the same. Without a key id, the plan's default key counts. */
function isSameUpstream(a: RelayRoute, b: RelayRoute, plans: readonly PlanView[]): boolean {
  const toKeyId = ({ planId, keyId }: RelayRoute) => keyId ?? plans.find(({ id }) => id === planId)?.defaultKeyId
  return a.planId === b.planId && toKeyId(a) === toKeyId(b)
}

/** Upstreams that can be added: not used yet, and with an active key on this computer. */
function listFreeUpstreams(plans: readonly PlanView[], usedUpstreams: readonly RelayRoute[]): readonly RelayRoute[] {
  return plans
    .flatMap((plan) =>
      plan.keys.filter(isCurrentKey).map((key): RelayRoute => ({ planId: plan.id, ...keyChoice(plan, key.id) })),
    )
    .filter((upstream) => !usedUpstreams.some((usedUpstream) => isSameUpstream(usedUpstream, upstream, plans)))
}
