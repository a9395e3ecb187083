import type { PlanView, Route, Site, ToolView } from '@shared/contract'
import { findUsableModel } from '@shared/model-quota'
import i18next from 'i18next'
import { ChevronRight, ChevronUp, List, SlidersHorizontal } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction, useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Card } from '../../ui/page'
import { RadioCards } from '../../ui/radio-cards'
import { InlineDetails } from '../../ui/rows'
import { SelectField, type SelectOption } from '../../ui/select'
import { Switch } from '../../ui/switch'
import { Hint } from '../../ui/text'
import { isCurrentKey, useKeyHint } from '../connections/account'
import { useModelQuotas } from '../usage/quota'
import { formatSite, formatSiteKey, readSite, type SiteTool, toolPath, userSite } from './setups'
import {
  type CompletedToolForm,
  type FormOverrides,
  listDeliveries,
  listRoutes,
  type PlanChoice,
  sameModelOption,
} from './tool-form'

const t = i18next.getFixedT(null, 'tools')

interface ChoiceFormProps {
  readonly tool: SiteTool
  readonly choice: CompletedToolForm
  readonly picked: FormOverrides
  readonly onPick: (change: FormOverrides) => void
}

function DeliveryChoice({ tool, choice, picked, onPick }: ChoiceFormProps) {
  const deliveries = listDeliveries(tool)
  const isRelayed = choice.route === 'relay'
  const columns = deliveries.length === 1 ? 1 : deliveries.length === 3 ? 3 : 2
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">{t('delivery')}</p>
      {isRelayed ? <Hint>{t('route.token')}</Hint> : null}
      <RadioCards
        label={t('delivery')}
        columns={columns}
        value={choice.delivery}
        onValueChange={(delivery) => onPick({ delivery })}
        options={deliveries.map((delivery, index) => ({
          value: delivery,
          label: t(`deliveries.${delivery}`),
          hint: t(`deliveryHints.${delivery}`),
          badge: index === 0 && delivery !== 'plain' ? <Badge tone="success">{t('best')}</Badge> : null,
        }))}
      />
      {choice.delivery === 'plain' ? (
        <Consent
          checked={picked.plainTextAccepted ?? false}
          onCheckedChange={(plainTextAccepted) => onPick({ plainTextAccepted })}
          label={t(isRelayed ? 'consentToken' : 'consent')}
          hint={t(isRelayed ? 'consentTokenHint' : 'consentHint')}
        />
      ) : null}
    </div>
  )
}

const namedSlots = ['small', 'subagent', 'editor'] as const

export function slotLabel({ id, isSmall }: ToolView['slots'][number]): string {
  const namedSlot = namedSlots.find((candidate) => candidate === id)
  if (namedSlot) return t(`slots.${namedSlot}`)
  return isSmall ? t('slots.otherSmall', { slot: id }) : t('slots.other', { slot: id })
}

/** Form of a tool's configuration. All fields have defaults, so no input is required. */
export function ChoiceForm({ tool, choice, picked, onPick }: ChoiceFormProps) {
  const { plan, slots } = choice
  const smallSlots = tool.slots.filter(({ isSmall }) => isSmall)
  const mainSlots = tool.slots.filter(({ isSmall }) => !isSmall)
  const field = (slot: ToolView['slots'][number]) => (
    <ModelField
      key={`${slot.id}-${plan.id}`}
      label={slotLabel(slot)}
      value={slots[slot.id] ?? sameModelOption}
      plan={plan}
      offersSame
      onChange={(code) => onPick({ slots: { ...picked.slots, [slot.id]: code } })}
    />
  )
  return (
    <div className="flex flex-col gap-4">
      <FieldGrid>
        <SiteField tool={tool} />
        <PlanChoiceFields choice={choice} onPick={onPick} />
        {smallSlots.map(field)}
      </FieldGrid>
      {mainSlots.length === 0 ? null : (
        <details className="group/more">
          <summary className="flex w-max max-w-full items-center gap-1.5 rounded-sm text-muted hover:text-text">
            <ChevronRight
              size={12}
              strokeWidth={2}
              className="transition-transform group-open/more:rotate-90"
              aria-hidden="true"
            />
            {t('moreModels', { slots: mainSlots.map(({ id }) => id).join(', ') })}
          </summary>
          <div className="mt-2">
            <FieldGrid>{mainSlots.map(field)}</FieldGrid>
          </div>
        </details>
      )}
      <RouteChoice routes={listRoutes(tool)} value={choice.route} onChange={(route) => onPick({ route })} />
      {tool.deliveries.length === 0 ? null : (
        <DeliveryChoice tool={tool} choice={choice} picked={picked} onPick={onPick} />
      )}
    </div>
  )
}

interface PlanChoiceFieldsProps {
  readonly choice: PlanChoice
  readonly onPick: (
    change: Pick<FormOverrides, 'planId' | 'keyId' | 'modelCode'> & { slots?: undefined; smallModel?: undefined },
  ) => void
}

/** Fields for plan, key and model. Another plan resets the key and all models. */
export function PlanChoiceFields({ choice: { plan, keyId, modelCode }, onPick }: PlanChoiceFieldsProps) {
  const { data: plans = [] } = useCall('plans.list', {})
  return (
    <>
      <PlanField
        plans={plans}
        value={plan.id}
        onChange={(planId) =>
          onPick({ planId, keyId: undefined, modelCode: undefined, slots: undefined, smallModel: undefined })
        }
      />
      <KeyField plan={plan} value={keyId} onChange={(id) => onPick({ keyId: id })} />
      <ModelField
        key={`model-${plan.id}`}
        label={t('model')}
        value={modelCode}
        plan={plan}
        onChange={(code) => onPick({ modelCode: code })}
      />
    </>
  )
}

/** Grid whose number of fields per row fits the width. */
export function FieldGrid({ children }: { readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(156px,1fr))] items-start gap-x-4 gap-y-3">{children}</div>
  )
}

/** Switch that allows to store the key in plain text. */
export function Consent(props: ComponentProps<typeof Switch>) {
  return (
    <div className="rounded-md border border-warning-line bg-warning-soft px-3 py-1">
      <Switch {...props} />
    </div>
  )
}

/** A form that collapses to a summary, to leave room for the diff. */
export function CollapsibleForm(props: {
  readonly summary: readonly ReactNode[]
  /** Whether the form is collapsed initially, because no required choice is missing. */
  readonly startsFolded: boolean
  /** Whether the form contains a required consent that the user has not given yet. */
  readonly needsAnswer: boolean
  readonly children: ReactNode
}) {
  const { summary, startsFolded, needsAnswer, children } = props
  const [isFolded, setIsFolded] = useState(startsFolded)
  const isOpen = !isFolded || needsAnswer
  return (
    <Card>
      <div className="-my-1.5 flex min-h-5 items-center justify-between gap-3">
        {isOpen ? <span /> : <InlineDetails items={summary} />}
        <Button
          size="sm"
          variant="ghost"
          icon={isOpen ? ChevronUp : SlidersHorizontal}
          aria-expanded={isOpen}
          disabled={needsAnswer}
          onClick={() => setIsFolded(isOpen)}
        >
          {t(isOpen ? 'form.fold' : 'form.unfold')}
        </Button>
      </div>
      {isOpen ? <div className="mt-4 flex flex-col gap-4">{children}</div> : null}
    </Card>
  )
}

export function PlanField(props: {
  readonly plans: readonly PlanView[]
  readonly value: string | undefined
  readonly onChange: (planId: string) => void
  readonly error?: string | undefined
}) {
  const { plans, value, onChange, error } = props
  return (
    <SelectField
      label={t('plan')}
      error={error}
      value={value}
      placeholder={t('choosePlan')}
      onValueChange={onChange}
      options={plans.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
    />
  )
}

/** Field to select a key. Read-only if the plan has at most one key. */
export function KeyField(props: {
  readonly plan: PlanView
  readonly value: string | undefined
  readonly onChange: (keyId: string) => void
}) {
  const { plan, value, onChange } = props
  const getKeyHint = useKeyHint()
  const chosenKey = plan.keys.find(({ id }) => id === value)
  if (plan.keys.length < 2) return null
  return (
    <SelectField
      label={t('key')}
      hint={chosenKey && !isCurrentKey(chosenKey) ? getKeyHint(chosenKey) : undefined}
      value={value}
      onValueChange={onChange}
      options={plan.keys.map((key) => ({ value: key.id, label: key.name, hint: getKeyHint(key) }))}
    />
  )
}

/** Option value for typing another model code. Model codes never start with a space. */
const otherModelValue = ' other'

/** Selection from the plan's models with their quota, or a text field for a model that is not listed. */
export function ModelField(props: {
  readonly label: string
  readonly value: string
  /** Plan with the models to choose from. Undefined for a missing plan. */
  readonly plan: PlanView | undefined
  /** Whether the field also offers "same as the model". */
  readonly offersSame?: boolean
  readonly onChange: (code: string) => void
}) {
  const { label, value, plan, offersSame = false, onChange } = props
  const { models = [], id: planId = '' } = plan ?? {}
  const { describe, listExhausted } = useModelQuotas()
  const exhausted = listExhausted(planId)
  const isListed = models.includes(value) || (offersSame && value === sameModelOption)
  // True only after the user typed, not when a model is missing from the list, which may still be loading.
  const [isTyping, setIsTyping] = useState(false)
  const hasList = models.length > 0 || offersSame
  if (isTyping || (!isListed && value !== '') || !hasList) {
    return (
      <TextField
        label={label}
        hint={t(hasList ? 'modelHint' : 'noModels')}
        mono
        value={value === sameModelOption ? '' : value}
        onChange={(text) => {
          setIsTyping(true)
          onChange(text)
        }}
        trailing={
          hasList ? (
            <IconButton
              icon={List}
              size="sm"
              label={t('fromList')}
              onClick={() => {
                setIsTyping(false)
                onChange(offersSame ? sameModelOption : (findUsableModel(models, exhausted) ?? ''))
              }}
            />
          ) : null
        }
      />
    )
  }
  const chooseModel = (code: string): void => {
    if (code === otherModelValue) setIsTyping(true)
    onChange(code === otherModelValue ? '' : code)
  }
  return (
    <SelectField
      label={label}
      hint={exhausted.has(value) ? describe(planId, value) : undefined}
      value={value === '' ? undefined : value}
      onValueChange={chooseModel}
      options={[
        ...(offersSame ? [{ value: sameModelOption, label: t('sameModel') }] : []),
        ...models.map((code) => ({ value: code, label: code, hint: describe(planId, code) })),
        { value: otherModelValue, label: t('otherModel') },
      ]}
    />
  )
}

export function RouteChoice(props: {
  /** Routes that the tool supports. The field is hidden if there is only one. */
  readonly routes: readonly Route[]
  /** Selected route. Undefined if several tools use different routes. */
  readonly value: Route | undefined
  readonly onChange: (route: Route) => void
  readonly note?: string | undefined
}) {
  const { routes, value, onChange, note } = props
  if (routes.length < 2) return null
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">{t('route.label')}</p>
      <RadioCards
        label={t('route.label')}
        columns={2}
        value={value ?? ''}
        onValueChange={onChange}
        options={routes.map((route) => ({
          value: route,
          label: t(`route.ways.${route}`),
          hint: t(`route.hints.${route}`),
        }))}
      />
      {note === undefined ? null : <Hint>{note}</Hint>}
    </div>
  )
}

/** Option value for selecting another project folder. Keys of scopes never start with a space. */
const otherFolderValue = ' folder'

/** Returns a function that opens the dialog to select a project folder, and then the tool's page for it. */
export function useChooseProject(toolId: string): () => void {
  const navigate = useNavigate()
  const { mutate } = useAction('tools.chooseProject', {
    onSuccess: ({ folder }) => {
      if (folder !== undefined) void navigate(toolPath(toolId, 'configure', { kind: 'project', folder }))
    },
  })
  return () => mutate({})
}

/** Selects the scope of a setup: home, project folder or WSL distribution. Hidden if there is only one. */
function SiteField({ tool }: { readonly tool: SiteTool }) {
  const navigate = useNavigate()
  const { data: distributions = [] } = useCall('tools.distributions', {}, { enabled: tool.sites.includes('wsl') })
  const wslSites = distributions.map((distribution): Site => ({ kind: 'wsl', distribution }))
  const knownSites = [userSite, tool.site, ...tool.setups.map(({ site }) => site), ...wslSites]
  const sites = [...new Map(knownSites.map((site) => [formatSiteKey(site), site])).values()]
  const chooseProject = useChooseProject(tool.id)
  const canUseProject = tool.sites.includes('project')
  if (sites.length === 1 && !canUseProject) return null
  const options: readonly SelectOption[] = [
    ...sites.map((site) => ({
      value: formatSiteKey(site),
      label: formatSite(site),
      hint: site.kind === 'project' ? site.folder : undefined,
    })),
    ...(canUseProject ? [{ value: otherFolderValue, label: t('sites.choose') }] : []),
  ]
  return (
    <SelectField
      label={t('sites.label')}
      value={formatSiteKey(tool.site)}
      options={options}
      onValueChange={(value) => {
        if (value === otherFolderValue) chooseProject()
        else void navigate(toolPath(tool.id, 'configure', readSite(value)))
      }}
    />
  )
}
