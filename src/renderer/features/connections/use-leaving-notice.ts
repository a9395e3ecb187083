import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { toast } from '../../ui/toast'
import { newDraft, useDrafts } from './drafts'
import { editPath, newPath } from './paths'

/** Says that a form was left with changes in it, and leads back. `of` is the draft of the form on the screen, if one is. */
export function useLeavingNotice(of: string | undefined): void {
  const { t } = useTranslation('connections')
  const navigate = useNavigate()
  const say = (): void => {
    if (of === undefined || !useDrafts.getState().drafts[of]) return
    const to = of === newDraft ? newPath : editPath(of)
    const action = { label: t('draft.goOn'), onClick: () => void navigate(to) }
    void toast(t('draft.kept'), { tone: 'info', action })
  }
  const latest = useRef(say)
  useEffect(() => {
    latest.current = say
  })
  useEffect(() => () => latest.current(), [])
}
