import type { toolsMany as englishMany, removeAll as englishRemoveAll } from '../en/tools-many'
import type { Translation } from '../texts'

/** Words of what is done to several tools at once, in Vietnamese. */
export const toolsMany: Translation<typeof englishMany> = {
  title: 'Cấu hình nhiều công cụ',
  state: 'Một gói, một bản so sánh. Chưa có gì được ghi cho đến khi bạn áp dụng.',
  tools: 'Công cụ',
  chosen: 'Đã chọn {{chosen}} trên {{count}}',
  delivery: 'Mỗi công cụ nhận khóa theo cách tốt nhất mà nó hỗ trợ; cách đó ghi bên dưới tên công cụ.',
  consent: 'Ghi khóa dạng văn bản thuần cho {{tools}}',
  consentNeeded: 'Hãy đồng ý dùng văn bản thuần ở trên, hoặc bỏ các công cụ đó ra.',
  none: 'Chưa thấy công cụ nào cấu hình được trên máy này',
  noneText: 'Hãy cài một công cụ trước, hoặc chọn công cụ trong danh sách để cấu hình sẵn.',
  needTools: 'Hãy chọn ít nhất một công cụ để xem các thay đổi.',
  files_other: '{{count}} tệp',
  unfoldAll: 'Mở tất cả',
  foldAll: 'Thu gọn tất cả',
  left: 'Giữ nguyên',
  leftHint: 'Hiện không thể thay đổi các công cụ này. Những công cụ khác không bị ảnh hưởng.',
  byHand: 'Công cụ này được cấu hình bằng tay, trong cửa sổ của nó.',
  outcome_other: '{{count}} công cụ sẽ dùng {{plan}}.',
  allOrNothing: 'Tất cả hoặc không gì cả: nếu một tệp không ghi được, mọi tệp đều giữ như cũ.',
  nothingWritten: 'Không có gì thay đổi: những tệp đã ghi được trả lại như cũ.',
  done_other: '{{count}} công cụ đã được cấu hình với {{plan}}',
  doneText: 'Từ lịch sử có thể trả mọi tệp về như cũ.',
  undo: 'Hoàn tác trong lịch sử…',
  toTools: 'Đến danh sách công cụ',
}

/** Words of removing everything that this app wrote, in Vietnamese. */
export const removeAll: Translation<typeof englishRemoveAll> = {
  action: 'Gỡ mọi thứ ứng dụng này từng ghi…',
  title: 'Gỡ mọi thứ ứng dụng này từng ghi',
  state: 'Tệp của mọi công cụ, ở mọi nơi, trở lại như thể chưa từng có ứng dụng này. Gói và khóa của bạn vẫn còn.',
  button: 'Gỡ tất cả',
  outcome_other: '{{count}} cấu hình sẽ bị gỡ.',
  ask: 'Gỡ tất cả?',
  askText_other: '{{count}} cấu hình sẽ không còn dùng gói. Những gì bạn hoặc công cụ ghi trong tệp vẫn được giữ.',
  done: 'Mọi thứ ứng dụng này ghi đã được gỡ',
  doneText: 'Các công cụ hoạt động như trước. Từ lịch sử có thể đưa các cấu hình trở lại.',
  nothing: 'Không có gì để gỡ',
  nothingText: 'Không tệp nào của công cụ nào chứa thứ gì do ứng dụng này ghi.',
}
