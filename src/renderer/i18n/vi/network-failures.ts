/** The same words in Vietnamese. */
export const networkFailures = {
  net: {
    refused: {
      title: 'Không có ai trả lời ở địa chỉ này',
      explanation: '{{host}} có tồn tại, nhưng không có gì nhận kết nối ở đó.',
      remedy: 'Hãy kiểm tra địa chỉ và cổng, hoặc khởi động chương trình lẽ ra đang chạy ở đó.',
    },
    hostNotFound: {
      title: 'Không tìm thấy máy chủ',
      explanation: 'Không ai biết {{host}}. Tên bị viết sai, hoặc máy này đang ngoại tuyến.',
      remedy: 'Hãy kiểm tra kết nối mạng và cách viết địa chỉ.',
    },
    timeout: {
      title: 'Không trả lời kịp',
      explanation: '{{host}} không trả lời kịp. Có thể nó đang bận, hoặc tường lửa đã chặn yêu cầu.',
      remedy: 'Hãy thử lại. Nếu vẫn vậy, hãy kiểm tra địa chỉ và mạng.',
    },
    tls: {
      title: 'Kết nối không đáng tin cậy',
      explanation:
        'Không xác minh được chứng chỉ của {{host}} nên chưa gửi khóa nào. Đồng hồ sai, máy chủ ủy quyền của công ty hoặc địa chỉ sai đều có thể gây ra điều này.',
      remedy: 'Hãy kiểm tra địa chỉ và đồng hồ của máy, hoặc hỏi quản trị mạng về chứng chỉ.',
    },
    cut: {
      title: 'Kết nối bị ngắt giữa chừng',
      explanation: '{{host}} bắt đầu trả lời rồi dừng lại giữa chừng.',
      remedy: 'Hãy thử lại.',
    },
    other: {
      title: 'Lỗi mạng',
      explanation: 'Yêu cầu không đến được {{host}}.',
      remedy: 'Hãy kiểm tra mạng rồi thử lại.',
    },
    tooLong: {
      title: 'Phản hồi quá dài',
      explanation: '{{host}} gửi nhiều hơn mức ứng dụng đọc từ một phản hồi, nên việc đọc đã dừng.',
      remedy: 'Hãy yêu cầu ít hơn, hoặc kiểm tra máy đang trả lời ở địa chỉ này.',
    },
    cancelled: {
      title: 'Yêu cầu đã bị hủy',
      explanation: 'Yêu cầu bị dừng trước khi {{host}} trả lời xong.',
      remedy: 'Hãy thực hiện lại khi cần.',
    },
    proxy: {
      title: 'Máy chủ ủy quyền không cho yêu cầu đi qua',
      explanation:
        'Không kết nối được với máy chủ ủy quyền giữa máy này và {{host}}, hoặc nó từ chối, hoặc ứng dụng không dùng được loại này.',
      remedy: 'Hãy kiểm tra thiết lập máy chủ ủy quyền của máy này, cùng tên người dùng và mật khẩu nếu cần.',
    },
  },
  api: {
    notConfigured: {
      title: 'Phần này của kết nối chưa được thiết lập',
      explanation: 'Kết nối thiếu địa chỉ, hoặc thiếu token hay khóa, cho dịch vụ này của nền tảng.',
      remedy: 'Hãy bổ sung phần còn thiếu vào kết nối.',
    },
    badRequest: {
      title: 'Nền tảng không chấp nhận yêu cầu',
      explanation: '{{host}} biết ai đang hỏi, nhưng không hiểu nội dung yêu cầu.',
      remedy: 'Hãy kiểm tra những gì đã nhập. Phần chi tiết bên dưới có câu trả lời của nền tảng.',
    },
    unauthorized: {
      title: 'Nền tảng không chấp nhận token',
      explanation: '{{host}} từ chối token hoặc khóa, và token mới cũng không giúp được.',
      remedy: 'Hãy kiểm tra nguồn token hoặc khóa của kết nối này.',
    },
    forbidden: {
      title: 'Nền tảng không cho phép việc này',
      explanation: 'Tài khoản của kết nối này không có quyền làm việc đó tại {{host}}.',
      remedy: 'Hãy xin quyền từ quản trị viên của tài khoản, hoặc dùng kết nối khác.',
    },
    notFound: {
      title: 'Nền tảng không có mục này',
      explanation: '{{host}} không biết gì dưới tên này: mục đã bị xóa, hoặc địa chỉ của dịch vụ không đúng.',
      remedy: 'Hãy xem lại danh sách. Nếu thiếu tất cả, hãy kiểm tra địa chỉ của dịch vụ.',
    },
    conflict: {
      title: 'Trạng thái hiện tại của nền tảng không cho phép việc này',
      explanation:
        'Những gì {{host}} đang giữ không cho phép: tên đã được dùng, có thứ còn phụ thuộc vào nó, hoặc đã đến giới hạn.',
      remedy: 'Hãy xem trạng thái hiện tại, sửa điều mà phần chi tiết nêu ra, rồi thử lại.',
    },
    rateLimited: {
      title: 'Nền tảng yêu cầu gửi chậm lại',
      explanation: '{{host}} nhận quá nhiều yêu cầu trong thời gian ngắn. Kết nối vẫn ổn.',
      remedy: 'Hãy thử lại {{wait}}.',
    },
    serverError: {
      title: 'Nền tảng gặp sự cố',
      explanation: '{{host}} báo lỗi từ phía nó. Yêu cầu có thể vẫn đúng.',
      remedy: 'Hãy thử lại sau giây lát. Nếu vẫn lỗi, hãy báo cho bên vận hành nền tảng kèm mã yêu cầu.',
    },
    unreadable: {
      title: 'Không đọc được câu trả lời của nền tảng',
      explanation:
        'Nội dung nhận từ {{host}} không phải là câu trả lời của dịch vụ này: có thể là trang đăng nhập, một chuyển hướng, hoặc quá lớn.',
      remedy: 'Hãy so địa chỉ của dịch vụ với địa chỉ mà nền tảng cung cấp.',
    },
    listTooLong: {
      title: 'Không đọc được hết danh sách',
      explanation: '{{host}} gửi nhiều dòng hơn mức ứng dụng đọc từ một danh sách, hoặc lặp lại các trang.',
      remedy: 'Hãy thử lại. Nếu vẫn lỗi, hãy báo cho bên vận hành nền tảng.',
    },
  },
  auth: {
    rejected: {
      title: 'Thông tin xác thực bị từ chối',
      explanation: 'Nơi cấp token không chấp nhận mã ứng dụng khách và mã bí mật của nó.',
      remedy: 'Hãy kiểm tra mã ứng dụng khách và phạm vi, rồi nhập lại mã bí mật.',
    },
    tokenSource: {
      title: 'Không lấy được token',
      explanation: 'Nguồn token của kết nối bị lỗi, hoặc thứ nó đưa ra không phải là token.',
      remedy: 'Hãy kiểm tra nguồn token của kết nối và thử riêng nó.',
    },
    tokenNeeded: {
      title: 'Cần một token mới',
      explanation:
        'Chưa có token được dán, hoặc nền tảng không còn chấp nhận nó: token loại này chỉ có hiệu lực trong thời gian ngắn.',
      remedy: 'Hãy lấy token mới rồi dán vào.',
    },
    commandNotAllowed: {
      title: 'Chương trình chưa được cho phép',
      explanation: 'Kết nối này chạy một chương trình để lấy token, và bạn chưa cho phép chương trình đó.',
      remedy: 'Hãy kiểm tra kết nối để được hỏi lại.',
    },
  },
}
