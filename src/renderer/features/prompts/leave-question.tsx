import { useContext, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { UNSAFE_NavigationContext as NavigationContext } from 'react-router'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'

type Leave = () => void

/** Holds every way to another page while `isHeld`, and keeps the one that was taken. This kind of router has no blocker of its own. */
function useHeldWay(isHeld: boolean) {
  const { navigator } = useContext(NavigationContext)
  const [way, setWay] = useState<Leave>()
  useEffect(() => {
    if (!isHeld) return
    const { push, replace } = navigator
    const ask = (leave: Leave): void => setWay(() => leave)
    navigator.push = (...to) => ask(() => push(...to))
    navigator.replace = (...to) => ask(() => replace(...to))
    return () => {
      navigator.push = push
      navigator.replace = replace
    }
  }, [isHeld, navigator])
  const leave = (): void => {
    setWay(undefined)
    way?.()
  }
  return { isAsking: way !== undefined, stay: () => setWay(undefined), leave }
}

interface LeaveQuestionProps {
  /** There is something to lose. */
  readonly isHeld: boolean
  readonly canSave: boolean
  /** Saves, and goes on when that went well. */
  readonly onSave: () => Promise<boolean>
  readonly onDiscard: () => void
}

/** Asks what to do with unsaved changes before another page is shown. The window's own way back cannot be held: what is typed is still there then. */
export function LeaveQuestion({ isHeld, canSave, onSave, onDiscard }: LeaveQuestionProps) {
  const { t } = useTranslation('prompts')
  const { isAsking, stay, leave } = useHeldWay(isHeld)
  const save = async (): Promise<void> => {
    if (await onSave()) leave()
    else stay()
  }
  const discard = (): void => {
    onDiscard()
    leave()
  }
  return (
    <Dialog
      open={isAsking}
      size="sm"
      onOpenChange={stay}
      title={t('leave.title')}
      description={t('leave.text')}
      footer={
        <>
          <Button variant="ghost" onClick={discard}>
            {t('leave.discard')}
          </Button>
          <Button onClick={stay}>{t('leave.stay')}</Button>
          <Button variant="primary" disabled={!canSave} onClick={() => void save()}>
            {t('leave.save')}
          </Button>
        </>
      }
    />
  )
}
