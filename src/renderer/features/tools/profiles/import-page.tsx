import type { PendingKeyView, PlanView, ProfileFile } from '@shared/contract'
import { limits } from '@shared/limits'
import i18next from 'i18next'
import { Download, KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { CheckState, ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { profilesPath, switchProfilePath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Code, QuietCode } from '../../../ui/code'
import { Dialog } from '../../../ui/dialog'
import { FieldGroup, TextField } from '../../../ui/field'
import { Card, EmptyState, Page, PageHeader, RowSection, Section } from '../../../ui/page'
import { InlineDetails, KeyValue, Row } from '../../../ui/rows'
import { Select } from '../../../ui/select'
import { Hint } from '../../../ui/text'
import { toast } from '../../../ui/toast'
import { formatPlanNameError, PasteKey, suggestName } from '../../connections/account'
import { ToolInitials } from '..'
import { NameField, type ReadProfile, readName, useImport, useReadFile } from './profile-actions'

const t = i18next.getFixedT(null, ['profiles', 'common', 'plans'])

function Notes({ file }: { readonly file: ProfileFile }) {
  const getName = (id: string): string => file.tools.find(({ toolId }) => toolId === id)?.toolName ?? id
  if (file.notes.length === 0) return null
  return (
    <Callout tone="warning" title={t('import.notes')}>
      {(['toolUnknown', 'deliveryUnknown'] as const).map((kind) => {
        const names = file.notes.filter(({ what }) => what === kind).map(({ toolId }) => getName(toolId))
        return names.length === 0 ? null : <p key={kind}>{t(`import.${kind}`, { tools: names.join(', ') })}</p>
      })}
    </Callout>
  )
}

function Tools({ read }: { readonly read: ReadProfile }) {
  const { data: plans = [] } = useCall('plans.list', {})
  const { file } = read
  return (
    <RowSection title={t('import.tools')}>
      {file.tools.map(({ toolId, toolName, planRef, modelCode }) => {
        const plan = plans.find(({ id }) => id === read.plans[planRef])
        const isUnlisted = plan !== undefined && plan.models.length > 0 && !plan.models.includes(modelCode)
        return (
          <Row
            key={toolId}
            leading={<ToolInitials tool={{ name: toolName }} />}
            title={toolName}
            description={
              <>
                <InlineDetails
                  items={[
                    plan?.name ?? file.plans.find(({ ref }) => ref === planRef)?.name,
                    <QuietCode key="model">{modelCode}</QuietCode>,
                  ]}
                />
                {isUnlisted ? (
                  <p className="text-sm text-warning">{t('import.modelUnlisted', { plan: plan.name })}</p>
                ) : null}
              </>
            }
          />
        )
      })}
    </RowSection>
  )
}

function SaveProfileForm({ read }: { readonly read: ReadProfile }) {
  const navigate = useNavigate()
  const { data: plans = [] } = useCall('plans.list', {})
  const [, setImport] = useImport()
  const { data: profiles = [] } = useCall('profiles.list', {})
  const usedNames = profiles.map(({ name }) => name)
  const name = readName(read.name, usedNames)
  const chosenPlanIds = read.file.plans.flatMap(({ ref }) => {
    const planId = read.plans[ref]
    return planId !== undefined && plans.some(({ id }) => id === planId) ? [[ref, planId] as const] : []
  })
  const isComplete = chosenPlanIds.length === read.file.plans.length
  const importProfile = useAction('profiles.import', {
    invalidates: ['profiles'],
    onSuccess: (profile) => {
      setImport(() => undefined)
      void navigate(profilesPath, { replace: true })
      const action = { label: t('profiles:switch'), onClick: () => void navigate(switchProfilePath(profile.id)) }
      void toast(t('profiles:import.done', { name: profile.name }), profile.isActive ? {} : { action })
    },
  })
  return (
    <>
      <Card>
        <NameField
          text={read.name}
          onText={(text) => setImport((profile) => profile && { ...profile, name: text })}
          taken={usedNames}
        />
      </Card>
      <Notes file={read.file} />
      <Section title={t('profiles:import.plans')} description={t('profiles:import.plansHint')}>
        <ul className="rounded-lg border bg-surface" aria-label={t('profiles:import.plans')}>
          {read.file.plans.map((profilePlan) => (
            <PlanMatch key={profilePlan.ref} profilePlan={profilePlan} planId={read.plans[profilePlan.ref]} />
          ))}
        </ul>
      </Section>
      <Tools read={read} />
      <ExplainedFailure failure={importProfile.error?.failure} />
      <div className="flex items-center justify-end gap-2">
        <p className="flex-1 text-muted text-sm">
          {isComplete ? t('profiles:import.nothingWritten') : t('profiles:import.needPlans')}
        </p>
        <Button
          variant="ghost"
          onClick={() => {
            setImport(() => undefined)
            void navigate(profilesPath)
          }}
        >
          {t('common:cancel')}
        </Button>
        <Button
          variant="primary"
          busy={importProfile.isPending}
          disabled={!isComplete || name === undefined}
          onClick={() =>
            name !== undefined &&
            importProfile.mutate({ importId: read.importId, name, plans: Object.fromEntries(chosenPlanIds) })
          }
        >
          {t('profiles:import.keep')}
        </Button>
      </div>
    </>
  )
}

export function ImportProfilePage() {
  const [importedProfile] = useImport()
  const plans = useCall('plans.list', {})
  const { choose, isReading, failure } = useReadFile()
  return (
    <Page>
      <PageHeader
        title={t('import.title')}
        state={t('import.state')}
        breadcrumb={[{ label: t('title'), to: profilesPath }]}
      />
      {importedProfile ? (
        <Loaded query={plans} rows={4}>
          {() => <SaveProfileForm key={importedProfile.importId} read={importedProfile} />}
        </Loaded>
      ) : (
        <>
          <ExplainedFailure failure={failure} handlers={{ tryAgain: choose }} />
          <EmptyState
            icon={Download}
            title={t('import.empty')}
            actions={[{ label: t('import.choose'), variant: 'primary', busy: isReading, onClick: choose }]}
          >
            {t('import.emptyText')}
          </EmptyState>
        </>
      )}
    </Page>
  )
}

/** Lets the user choose the local plan for a plan in an imported file. Plans with the same gateway come first. */
function PlanMatch(props: { readonly profilePlan: ProfileFile['plans'][number]; readonly planId: string | undefined }) {
  const { profilePlan, planId } = props
  const { data: plans = [] } = useCall('plans.list', {})
  const [isAdding, setIsAdding] = useState(false)
  const [, setImport] = useImport()
  const match = (matchedId: string): void =>
    setImport((profile) => profile && { ...profile, plans: { ...profile.plans, [profilePlan.ref]: matchedId } })
  const matchesGateway = (plan: PlanView): boolean => plan.gatewayUrl === profilePlan.gatewayUrl
  const chosenPlan = plans.find(({ id }) => id === planId)
  const sorted = plans.toSorted((a, b) => Number(matchesGateway(b)) - Number(matchesGateway(a)))
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t py-3 pr-3 pl-4 first:border-t-0">
      <div className="min-w-0 flex-[1_1_240px]">
        <p className="font-strong">{profilePlan.name}</p>
        <Hint as="div">
          <InlineDetails
            items={[
              <QuietCode key="gateway">{profilePlan.gatewayUrl}</QuietCode>,
              t('import.models', { count: profilePlan.models.length }),
            ]}
          />
        </Hint>
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {chosenPlan && matchesGateway(chosenPlan) ? (
          <Badge tone="success">{t('import.sameGateway')}</Badge>
        ) : (
          <Badge tone="warning">{t(chosenPlan ? 'import.otherGateway' : 'import.noPlan')}</Badge>
        )}
        {plans.length > 0 ? (
          <div className="w-55">
            <Select
              aria-label={t('import.planFor', { name: profilePlan.name })}
              value={chosenPlan?.id}
              placeholder={t('import.choosePlan')}
              onValueChange={match}
              options={sorted.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
            />
          </div>
        ) : null}
        <Button
          icon={KeyRound}
          variant={plans.some(matchesGateway) ? 'secondary' : 'primary'}
          aria-label={t('import.addKeyNamed', { name: profilePlan.name })}
          onClick={() => setIsAdding(true)}
        >
          {t('import.addKey')}
        </Button>
      </div>
      {isAdding ? (
        <AddKeyDialog
          profilePlan={profilePlan}
          onClose={() => setIsAdding(false)}
          onAdded={(plan) => {
            match(plan.id)
            setIsAdding(false)
          }}
        />
      ) : null}
    </li>
  )
}

/** Dialog that creates the plan of an imported profile. The user only has to paste the key. */
function AddKeyDialog(props: {
  readonly profilePlan: ProfileFile['plans'][number]
  readonly onAdded: (plan: PlanView) => void
  readonly onClose: () => void
}) {
  const { profilePlan, onAdded, onClose } = props
  const { data: plans = [] } = useCall('plans.list', {})
  const taken = plans.map((plan) => plan.name)
  const [name, setName] = useState(() => findFreePlanName(profilePlan, taken))
  const [pending, setPending] = useState<PendingKeyView>()
  const checkPlan = useAction('plans.checkNew')
  const addPlan = useAction('plans.add', {
    invalidates: ['plans'],
    onSuccess: (plan) => {
      void toast(t('profiles:addKey.added', { name: plan.name }))
      onAdded(plan)
    },
  })
  const nameError = formatPlanNameError(name, taken.includes(name))
  const isReady = pending !== undefined && name !== '' && nameError === undefined
  const { gatewayUrl, models, contextTokens } = profilePlan
  const add = (): void => {
    if (isReady) addPlan.mutate({ name, gatewayUrl, models, contextTokens, pendingId: pending.pendingId })
  }
  const checkAndAdd = (): void => {
    if (!isReady) return
    const testInput = { gatewayUrl, pendingId: pending.pendingId, modelCode: models[0] }
    checkPlan.mutate(testInput, { onSuccess: ({ ok }) => (ok ? add() : undefined) })
  }
  const isBusy = checkPlan.isPending || addPlan.isPending
  const failure = (checkPlan.error ?? addPlan.error)?.failure
  const failedCheck = checkPlan.data?.ok === false ? checkPlan.data : undefined
  return (
    <Dialog
      busy={isBusy}
      onClose={onClose}
      title={t('profiles:addKey.title', { name: profilePlan.name })}
      description={t('profiles:addKey.text')}
      footer={[
        { label: t('common:cancel'), onClick: onClose },
        failedCheck && { label: t('plans:new.saveAnyway'), disabled: !isReady, onClick: add },
        {
          label: t('profiles:addKey.button'),
          variant: 'primary',
          busy: isBusy,
          disabled: !isReady,
          onClick: checkAndAdd,
        },
      ]}
    >
      <FieldGroup>
        <PasteKey
          pending={pending}
          onTaken={(key) => {
            setPending(key)
            checkPlan.reset()
          }}
          autoFocus
        />
        <TextField label={t('plans:new.name')} required error={nameError} value={name} onChange={setName} />
        <KeyValue
          items={[
            { label: t('profiles:addKey.gateway'), value: <QuietCode wrap>{profilePlan.gatewayUrl}</QuietCode> },
            {
              label: t('profiles:addKey.models'),
              value: (
                <span className="flex flex-wrap gap-1">
                  {profilePlan.models.map((code) => (
                    <Code key={code}>{code}</Code>
                  ))}
                </span>
              ),
            },
          ]}
        />
        <div aria-live="polite">
          <CheckState failure={failure} check={failedCheck} context={{ plan: name }} />
        </div>
      </FieldGroup>
    </Dialog>
  )
}

/** Name for an imported plan: the name in the file, or else its host. Numbered if the name is taken. */
export function findFreePlanName(
  { name, gatewayUrl }: Pick<ProfileFile['plans'][number], 'name' | 'gatewayUrl'>,
  takenNames: readonly string[],
): string {
  const cleanName = name.replace(/[^a-zA-Z0-9_.-]+/g, '-').replace(/^-+|-+$/g, '')
  const baseName = cleanName || suggestName(gatewayUrl) || 'plan'
  for (let suffix = 1; ; suffix += 1) {
    const mark = suffix === 1 ? '' : `-${suffix}`
    const uniqueName = baseName.slice(0, limits.nameCharacters - mark.length) + mark
    if (!takenNames.includes(uniqueName)) return uniqueName
  }
}
