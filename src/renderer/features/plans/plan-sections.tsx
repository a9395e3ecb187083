import type { Delivery, KeyView, PendingKeyView, PlanView } from '@shared/contract'
import { findUsableModel } from '@shared/model-quota'
import { getToolStatusKind } from '@shared/tool-status'
import i18next from 'i18next'
import { Copy, KeyRound, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { CheckState, type RemedyHandlers } from '../../failures'
import { call, useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { rotateKeyPath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { useRunOnOpen } from '../../runs'
import { Badge } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { QuietCode } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { CardSection, RowSection, Section } from '../../ui/page'
import { Row, RowIcon, Rows } from '../../ui/rows'
import { Select } from '../../ui/select'
import { closeWithToast } from '../../ui/toast'
import {
  findDefaultKey,
  isCurrentKey,
  PasteKey,
  planContext,
  rotatableKeys,
  StandardAddresses,
  useCopyKey,
  useKeyHint,
} from '../connections/account'
import {
  FirstToolSuggestion,
  formatSite,
  isOnComputer,
  listSetups,
  pickInForm,
  setUpPath,
  setupKey,
  ToolInitials,
  ToolStatusDot,
  toolPath,
  usesPlan,
} from '../tools'
import { useModelQuotas } from '../usage/quota'

const t = i18next.getFixedT(null, ['plans', 'tools', 'rotation'])

/** Connection check of a plan. The parameter `check` of the page address starts it. */
export function PlanCheck(props: {
  readonly plan: PlanView
  readonly onPasteKey: () => void
  /** Opens the form to edit the gateway address. Undefined if the address comes from the account. */
  readonly onEdit?: () => void
}) {
  const { plan, onPasteKey, onEdit } = props
  const navigate = useNavigate()
  const [picked, setPicked] = useState<string>()
  const { listExhausted, describe } = useModelQuotas()
  const modelCode = plan.models.find((code) => code === picked) ?? findUsableModel(plan.models, listExhausted(plan.id))
  const { mutate, isPending, error } = useAction('plans.check', { invalidates: ['plans'] })
  const check = (): void => mutate({ planId: plan.id, modelCode })
  const openSandbox = useAction('sandbox.open', { onSuccess: check })
  useRunOnOpen('check', check)
  const handlers: RemedyHandlers = {
    tryAgain: check,
    pasteKey: onPasteKey,
    setAddress: onEdit,
    choosePlan: () => void navigate('/plans'),
    startSandbox: () => openSandbox.mutate({}),
    recheckVault: () => void call('app.recheckVault', {}).then(check, check),
  }
  const context = planContext(plan, findDefaultKey(plan))
  return (
    <Section
      title={t('page.checkTitle')}
      description={t('page.checkHint')}
      actions={[
        plan.models.length > 1 && (
          <Select
            key="model"
            aria-label={t('page.checkWith')}
            className="w-55"
            value={modelCode}
            onValueChange={setPicked}
            options={plan.models.map((code) => ({ value: code, label: code, hint: describe(plan.id, code) }))}
          />
        ),
        { label: t('page.check'), size: 'md', busy: isPending, onClick: check },
      ]}
    >
      <div aria-live="polite">
        <CheckState
          pending={isPending && t('new.checkingPlain')}
          failure={error?.failure}
          check={plan.lastCheck}
          context={context}
          handlers={handlers}
          busy={openSandbox.isPending}
        />
      </div>
    </Section>
  )
}

export function PlanTools({ plan }: { plan: PlanView }) {
  const navigate = useNavigate()
  const query = useCall('tools.list', {})
  const configure = (toolId: string): void => {
    pickInForm(toolId, { planId: plan.id, keyId: undefined, modelCode: undefined, slots: undefined })
    void navigate(toolPath(toolId, 'configure'))
  }
  return (
    <Section
      title={t('plans:page.tools')}
      description={plan.usedBy.length === 0 ? t('plans:page.noToolsText') : t('plans:page.toolsHint')}
      actions={[{ label: t('tools:setUpAll'), to: setUpPath({ planId: plan.id }) }]}
    >
      <Loaded query={query} rows={2}>
        {(tools) => (
          <div className="flex flex-col gap-3">
            <FirstToolSuggestion tools={tools} plan={plan} />
            <Rows label={t('plans:page.tools')}>
              {tools
                .flatMap((tool) => listSetups(tool).map((setup) => ({ tool, setup, ...setup })))
                .filter(({ applied }) => applied?.planId === plan.id)
                .map(({ tool, setup, site, status, applied }) => (
                  <Row
                    key={setupKey(tool.id, site)}
                    leading={<ToolInitials tool={tool} />}
                    title={tool.name}
                    to={toolPath(tool.id, undefined, site)}
                    description={[
                      site.kind !== 'user' && formatSite(site),
                      t(`tools:standards.${tool.speaks ?? tool.standard}`),
                      applied && <QuietCode key="model">{applied.modelCode}</QuietCode>,
                    ]}
                    trailing={[
                      <ToolStatusDot key="toolStatusDot" setup={setup} />,
                      {
                        label: t(`tools:actions.${getToolStatusKind(setup) === 'configured' ? 'open' : 'putRight'}`),
                        about: tool.name,
                        to: toolPath(tool.id, status === 'drifted' ? 'review' : undefined, site),
                      },
                    ]}
                  />
                ))}
              {tools
                .filter((tool) => tool.kind !== 'unsupported' && isOnComputer(tool) && !usesPlan(tool, plan.id))
                .map((tool) => (
                  <Row
                    key={tool.id}
                    leading={<ToolInitials tool={tool} />}
                    title={tool.name}
                    description={[
                      t(`tools:standards.${tool.speaks ?? tool.standard}`),
                      !tool.installed && t('tools:notInstalled'),
                      tool.applied && (tool.applied.planName ?? t('tools:planGone')),
                    ]}
                    trailing={[
                      { label: t('tools:actions.setUp'), about: tool.name, onClick: () => configure(tool.id) },
                    ]}
                  />
                ))}
            </Rows>
          </div>
        )}
      </Loaded>
    </Section>
  )
}

export function PlanGateway({ gatewayUrl }: { gatewayUrl: string }) {
  const { data } = useCall('plans.readAddress', { text: gatewayUrl }, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <CardSection title={t('page.gateway')}>
      <div className="flex flex-col gap-2">
        <p className="flex min-w-0 items-center gap-1 [&>code]:text-lg">
          <QuietCode wrap>{gatewayUrl}</QuietCode>
          <CopyText text={gatewayUrl} label={t('address.copy')} />
        </p>
        {data ? <StandardAddresses address={data} /> : null}
      </div>
    </CardSection>
  )
}

/** Key deliveries that write a copy of the key into a tool's files or window. */
const embeddedDeliveries: readonly Delivery[] = ['file', 'envFile', 'inTool', 'plain']

/** Replaces a key of a plan. The main process reads the new one from the clipboard. */
export function ReplaceKeyDialog(props: {
  readonly plan: PlanView
  readonly keyView: KeyView
  readonly onClose: () => void
  readonly onReplaced: () => void
}) {
  const { plan, keyView, onClose, onReplaced } = props
  const [pending, setPending] = useState<PendingKeyView>()
  const { data = [] } = useCall('tools.list', {})
  const hasCopy = ({ applied }: ReturnType<typeof listSetups>[number]): boolean =>
    applied?.planId === plan.id && embeddedDeliveries.includes(applied.delivery)
  const toolsWithCopy = data.filter((tool) => listSetups(tool).some(hasCopy)).map(({ name }) => name)
  const replaceKey = useAction('plans.replaceKey', {
    invalidates: ['plans', 'tools'],
    onSuccess: () => closeWithToast(onReplaced, t('page.replaced', { plan: plan.name })),
  })
  return (
    <Dialog
      onClose={onClose}
      title={t('page.replaceTitle', { name: keyView.name })}
      description={t('page.replaceText', { masked: keyView.masked })}
      mutation={replaceKey}
      context={{ plan: plan.name }}
      action={{
        label: t('page.replace'),
        disabled: !pending,
        onClick: () =>
          pending && replaceKey.mutate({ planId: plan.id, keyId: keyView.id, pendingId: pending.pendingId }),
      }}
    >
      <PasteKey pending={pending} onTaken={setPending} autoFocus />
      {toolsWithCopy.length > 0 ? (
        <Callout tone="warning" title={t('page.replaceFile', { tools: toolsWithCopy.join(', ') })} />
      ) : null}
    </Dialog>
  )
}

/** List of a plan's keys in masked form. The main process copies keys. */
export function PlanKeys({ plan, onReplace }: { readonly plan: PlanView; readonly onReplace: (key: KeyView) => void }) {
  const copyKeyAction = useCopyKey(plan.id)
  const getKeyHint = useKeyHint()
  const rotatableRefs = rotatableKeys([plan])
  return (
    <RowSection title={t('page.keys')} description={t('page.keysHint')}>
      {plan.keys.map((key) => (
        <Row
          key={key.id}
          leading={<RowIcon icon={KeyRound} />}
          title={<code>{key.masked}</code>}
          badge={
            <Badge tone={key.kept === 'keychain' ? 'success' : key.kept === 'session' ? 'warning' : 'danger'}>
              {t(`kept.${key.kept}`)}
            </Badge>
          }
          description={
            key.kept === 'missing' ? (
              <span className="text-danger">{t('page.missingKey')}</span>
            ) : (
              [key.name, <RelativeTime key="at" at={key.addedAt} />, !isCurrentKey(key) && getKeyHint(key)]
            )
          }
          trailing={[
            key.kept !== 'missing' && (
              <IconButton
                key="iconButton"
                icon={Copy}
                label={t('page.copyKey', { name: key.name })}
                busy={copyKeyAction.isPending}
                onClick={() => copyKeyAction.mutate({ planId: plan.id, keyId: key.id })}
              />
            ),
            rotatableRefs.some(({ keyId }) => keyId === key.id) && {
              label: t('rotation:rotateMenu'),
              icon: RotateCw,
              to: rotateKeyPath({ planId: plan.id, keyId: key.id }),
              'aria-label': t('rotation:rotateNamed', { key: key.name }),
            },
            { label: t('page.replaceKey'), onClick: () => onReplace(key) },
          ]}
        />
      ))}
    </RowSection>
  )
}
