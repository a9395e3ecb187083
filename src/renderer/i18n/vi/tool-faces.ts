import type {
  toolDrift as englishDrift,
  toolGuide as englishGuide,
  toolUnsupported as englishUnsupported,
} from '../en/tool-faces'
import type { Translation } from '../texts'

/** Words of the three-way view of what changed since, in Vietnamese. */
export const toolDrift: Translation<typeof englishDrift> = {
  title: 'Các thiết lập này đã thay đổi sau khi được ghi',
  text: 'Có thứ khác ngoài ứng dụng này đã đổi chúng. Công cụ có thể gọi đến nơi khác, hoặc không gọi được.',
  list: 'Thiết lập đã thay đổi',
  compare: 'Giữ bản kia hay bản của ứng dụng',
  compareHint: 'Có thứ khác ngoài ứng dụng này đã đổi các thiết lập này. Hãy chọn giá trị cho từng mục.',
  columns: {
    written: 'Ứng dụng đã ghi',
    found: 'Đang có trong tệp',
    wanted: 'Gói cần',
    choice: 'Xử lý',
  },
  roles: { address: 'Địa chỉ', credential: 'Khóa' },
  choiceFor: 'Xử lý {{setting}}',
  keepTheirs: 'Giữ bản kia',
  putBack: 'Đặt lại',
  update: 'Cập nhật',
  keepAll: 'Giữ tất cả bản kia',
  putAllBack: 'Đặt lại tất cả',
  merge: 'Áp dụng bản gộp',
  pair: 'Địa chỉ và khóa đi cùng nhau: giữ một mục là giữ cả hai, để khóa không bao giờ được gửi đến địa chỉ không phải của nó.',
  notThere: 'không có',
  asWritten: 'như đã ghi',
  letGo: 'Tất cả giữ nguyên như hiện tại. Ứng dụng không còn nhớ đã cấu hình {{tool}}, và không còn Hoàn tác ở đây.',
  letBe: 'Giữ nguyên các tệp',
  letBeOutcome: 'Không có tệp nào được ghi.',
  letGone: 'Các tệp của {{tool}} được giữ nguyên',
  nothing: 'Mọi thứ đã trở lại như đã ghi',
}

/** Words of a tool that a person sets up in its own window, in Vietnamese. */
export const toolGuide: Translation<typeof englishGuide> = {
  why: '{{tool}} giữ các thiết lập này ở nơi chương trình khác không ghi được. Hãy tự dán vào; chỉ mất một phút.',
  title: 'Cách cấu hình',
  open: 'Trong {{tool}}, vào',
  enter: 'Nhập các giá trị này',
  fields: 'Giá trị cần nhập',
  field: 'Ô',
  value: 'Giá trị',
  copy: 'Sao chép',
  copyField: 'Sao chép {{field}}',
  save: 'Lưu lại; yêu cầu sẽ được gửi đến',
  checkTitle: 'Kiểm tra các giá trị',
  checkHint:
    'Một yêu cầu nhỏ với đúng các giá trị này, gửi từ máy này. Nó tốn vài token và không hỏi đến chính {{tool}}.',
  check: 'Kiểm tra',
}

/** Why a tool cannot be set up, in Vietnamese. */
export const toolUnsupported: Translation<typeof englishUnsupported> = {
  platform: {
    short: 'Công cụ này không có trên hệ điều hành này.',
    title: '{{tool}} không có trên hệ điều hành này',
    text: '{{tool}} chỉ giữ các thiết lập này trên hệ điều hành khác, nên ở đây không có gì để ghi.',
    later: 'Hãy cài ứng dụng trên máy chạy được {{tool}} để cấu hình ở đó.',
  },
}
