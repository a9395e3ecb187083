import type { ToolView, ToolWarning } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import type { ToolHere } from './sites'
import { isTodo } from './todo'
import { toolPath } from './tool-status'
import { ToolWarnings } from './tool-warnings'

interface AppliedNoticeProps {
  readonly tool: ToolHere
  readonly applied: NonNullable<ToolView['applied']>
  /** What the preview that was written told. */
  readonly warnings: readonly ToolWarning[]
  /** Missing once it was verified. */
  readonly onVerify: (() => void) | undefined
}

/** What was just written, what is left to do by hand, and what to do with it; takes the focus, so that Enter verifies. */
export function AppliedNotice({ tool, applied, warnings, onVerify }: AppliedNoticeProps) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const { planId, keyId } = applied
  const left = warnings.filter((warning) => isTodo(warning) && warning.code !== 'restartNeeded')
  return (
    <Callout
      tone={left.length > 0 ? 'warning' : 'success'}
      title={t(left.length > 0 ? 'applied.almost' : 'applied.title', {
        tool: tool.name,
        plan: applied.planName ?? t('planGone'),
      })}
      actions={
        <>
          <Button size="sm" variant="ghost" onClick={() => navigate(toolPath(tool.id, 'undo', tool.site))}>
            {t('applied.undo')}
          </Button>
          {onVerify ? (
            <Button size="sm" autoFocus onClick={onVerify}>
              {t('applied.verify')}
            </Button>
          ) : null}
        </>
      }
    >
      <ToolWarnings
        warnings={left}
        tool={tool}
        site={tool.site}
        keyRef={keyId === undefined ? undefined : { planId, keyId }}
      />
      <p>{t('applied.text', { address: applied.requestAddress })}</p>
      <p>{t(tool.needsRestart ? 'applied.restart' : 'applied.live', { tool: tool.name })}</p>
    </Callout>
  )
}
